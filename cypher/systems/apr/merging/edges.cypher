// The edges at symbols that have a representative, as far as they do not say yet what they are after merging.
// Parameters: none
// Rows: id STRING; head, relation, tail STRING (ids of the symbols, or of their representatives)
MATCH (s:{{corpus}}_AprAlias)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge) WHERE e.canonical IS NULL
WITH DISTINCT e
MATCH (e)-[:HEAD]->(h:{{corpus}}_AprEntity), (e)-[:RELATION]->(r:{{corpus}}_AprRelation), (e)-[:TAIL]->(t:{{corpus}}_AprEntity)
RETURN e.id AS id, r.id AS relation,
  coalesce(head([(h)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), h.id) AS head,
  coalesce(head([(t)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), t.id) AS tail
