// The names that the facts of some chunks have in common with those of others, merged ones as one; of names with few edges.
// Parameters: $chunks LIST<STRING> (ids); $most INTEGER (edges of a name)
// Rows: names LIST<LIST> (id of one of the chunks, text of a name, LIST<STRING> of the ids of all chunks with the name; in
//   the order of chunks and names); one
UNWIND $chunks AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(:Overstory:AprRun)-[:HAS_EDGE]->(:Overstory:AprEdge)-[:HEAD|TAIL]->(symbol:Overstory:AprSymbol)
WITH DISTINCT c, coalesce([(symbol)-[:ALIAS_OF]->(r:Overstory:AprSymbol) | r][0], symbol) AS s
WITH s, collect(c.id) AS sources
WHERE 1 < COUNT { (s)<-[:HEAD]-() } + COUNT { (s)<-[:TAIL]-() } + COUNT { (s)<-[:ALIAS_OF]-() } <= $most
CALL (s) {
  MATCH (s:Overstory:AprSymbol)<-[:ALIAS_OF*0..1]-(:Overstory:AprSymbol)<-[:HEAD|TAIL]-(:Overstory:AprEdge)<-[:HAS_EDGE]-(:Overstory:AprRun)-[:PART_OF]->(other:Overstory:Chunk)
  RETURN collect(DISTINCT other.id) AS chunks
}
WITH s, sources, chunks WHERE size(chunks) > 1
UNWIND sources AS source
WITH source, s, chunks ORDER BY source, s.id
RETURN collect([source, s.text, chunks]) AS names
