// The documents that the descriptions of some entities stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (entities); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids; none where there is no description)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
RETURN id, COLLECT {
  MATCH (e)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
