// The groups of some symbols, whole.
// Parameters: $ids LIST<STRING>
// Rows: group STRING (the id of the representative); id, text STRING; vector LIST<FLOAT>; in the order of the ids
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprEntity AND s.corpus = $corpus
OPTIONAL MATCH (s)-[:ALIAS_OF]->(representative:Overstory:AprEntity)
WITH DISTINCT coalesce(representative, s) AS r
CALL (r) {
  RETURN r AS s
  UNION ALL
  MATCH (r:Overstory:AprEntity)<-[:ALIAS_OF]-(s:Overstory:AprEntity)
  RETURN s
}
RETURN r.id AS group, s.id AS id, s.text AS text, s.embedding AS vector ORDER BY id
