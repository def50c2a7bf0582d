// Marks the chunks in which something other than the dictionary found some names, to have their names edited by the entities
// stage; commits as it goes.
// Parameters: $ids LIST<STRING> (entities)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE e:Entity AND e.corpus = $corpus AND m.by <> 'dictionary'
CALL (c) { SET c:$($corpus + '_Renamed') } IN TRANSACTIONS OF 10000 ROWS
