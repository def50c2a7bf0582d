// Marks the chunks that are about some names by themselves for the mentions stage.
// Parameters: $ids LIST<STRING> (entities); $own LIST<STRING> (sources of what chunks are about by themselves)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.source IN $own
SET c:$($corpus + '_Changed')
