// Marks the chunks in which the dictionary found some names for the mentions stage.
// Parameters: $ids LIST<STRING> (entities)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)
SET c:$($corpus + '_Changed')
