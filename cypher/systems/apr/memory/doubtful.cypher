// The remembered answers that may have lost a fact since some change of the corpus: a chunk that they stand on was read
// again, or something that they cite is gone. In order of id.
// Parameters: $after STRING; $limit, $read_to INTEGER (the version up to which chunks were read then)
// Rows: id, citations STRING; runs LIST<INTEGER>
MATCH (a:{{corpus}}_AprAnswer)
WHERE a.id > $after AND (
  COUNT { (a)-[:STANDS_ON]->(:Chunk:{{corpus}}) } <> a.supports
  OR COUNT { (a)-[:HAS_EDGE]->(:AprEdge:{{corpus}}) } <> a.edges
  OR EXISTS { MATCH (a)-[:STANDS_ON]->(c:{{corpus}}_Chunk) WHERE c.touched > $read_to }
)
RETURN a.id AS id, a.citations AS citations, a.runs AS runs ORDER BY id LIMIT $limit
