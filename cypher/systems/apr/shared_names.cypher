// The names that the facts of some chunks have in common with those of others, merged ones as one; of names with few edges.
// Parameters: $chunks LIST<STRING> (ids); $most INTEGER (edges of a name)
// Rows: names LIST<LIST> (id of one of the chunks, text of a name, LIST<STRING> of the ids of all chunks with the name; in
//   the order of chunks and names); one
UNWIND $chunks AS id
MATCH (c:Overstory {id: id})<-[:PART_OF]-(:{{corpus}}_AprRun)-[:HAS_EDGE]->(:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(symbol:{{corpus}}_AprSymbol)
WITH DISTINCT c, coalesce([(symbol)-[:ALIAS_OF]->(r:{{corpus}}_AprSymbol) | r][0], symbol) AS s
WITH s, collect(c.id) AS sources
WHERE 1 < COUNT { (s)<-[:HEAD]-() } + COUNT { (s)<-[:TAIL]-() } + COUNT { (s)<-[:ALIAS_OF]-() } <= $most
CALL (s) {
  MATCH (s:{{corpus}}_AprSymbol)<-[:ALIAS_OF*0..1]-(:AprSymbol:{{corpus}})<-[:HEAD|TAIL]-(:{{corpus}}_AprEdge)<-[:HAS_EDGE]-(:{{corpus}}_AprRun)-[:PART_OF]->(other:{{corpus}}_Chunk)
  RETURN collect(DISTINCT other.id) AS chunks
}
WITH s, sources, chunks WHERE size(chunks) > 1
UNWIND sources AS source
WITH source, s, chunks ORDER BY source, s.id
RETURN collect([source, s.text, chunks]) AS names
