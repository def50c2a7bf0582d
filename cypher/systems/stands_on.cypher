// The documents whose passages some nodes of systems stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (of nodes); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
RETURN id, COLLECT {
  MATCH (n)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
