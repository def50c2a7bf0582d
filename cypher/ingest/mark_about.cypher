// Marks the chunks that are about some names by themselves for the mentions stage.
// Parameters: $ids LIST<STRING> (entities); $own LIST<STRING> (sources of what chunks are about by themselves)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[a:ABOUT]->(c) WHERE a.source IN $own AND c:Chunk AND c.corpus = $corpus
SET c:$($corpus + '_Changed')
