// Marks the chunks in which the dictionary found some names for the mentions stage.
// Parameters: $ids LIST<STRING> (entities)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[:MENTIONS {by: 'dictionary'}]-(c) WHERE c:Chunk AND c.corpus = $corpus
SET c:$($corpus + '_Changed')
