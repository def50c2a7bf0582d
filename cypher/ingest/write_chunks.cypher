// Writes chunks. One that is there keeps its vector, its mentions and its facts; a new one gets the vector of its text if
// that is stored, or is marked for the embed stage; it is marked for the extract stage, too.
// Parameters: $rows LIST<MAP {id, document STRING; vector STRING (its id) or null; properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (c:Overstory {id: row.id})
ON CREATE SET c:$($corpus + '_Unembedded'):$($corpus + '_Unread')
SET c += row.properties, c.touched = corpus.version + 1,
  c:Chunk:$($corpus):$($corpus + '_Chunk'):$($corpus + '_Changed'):$('IndexSet_' + corpus.index_set)
MERGE (c)-[:PART_OF]->(d)
WITH c, row WHERE $corpus + '_Unembedded' IN labels(c)
MATCH (v:Overstory {id: row.vector}) WHERE v:PassageVector AND v.corpus = $corpus
MERGE (c)-[:HAS_VECTOR]->(v)
REMOVE c:$($corpus + '_Unembedded')
