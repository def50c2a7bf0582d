// -- systems/apr/merging/join
// Set the representative of symbols without one.
// Parameters: $rows LIST<MAP {id, representative STRING; cosine FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (s:Overstory {id: row.id}) WHERE s:AprEntity AND s.corpus = $corpus
MATCH (representative:Overstory {id: row.representative}) WHERE representative:AprEntity AND representative.corpus = $corpus
CREATE (s)-[:ALIAS_OF {cosine: row.cosine}]->(representative)
SET s:$($corpus + '_AprAlias'), representative:$($corpus + '_AprRepresentative')

// -- systems/apr/merging/part
// Remove symbols from their groups, and the results of merging from their edges.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprEntity AND s.corpus = $corpus
REMOVE s:$($corpus + '_AprAlias')
WITH s
OPTIONAL MATCH (s)-[alias:ALIAS_OF]->(:Overstory:AprEntity)
DELETE alias
WITH DISTINCT s
MATCH (s)<-[:HEAD|TAIL]-(e:Overstory:AprEdge)
REMOVE e.canonical

// -- systems/apr/merging/write_canonical
// Write the canonical edges after merging.
// Parameters: $rows LIST<MAP {id, canonical STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:AprEdge AND e.corpus = $corpus
SET e.canonical = row.canonical

// -- systems/apr/merging/compare_all
// Mark all entity symbols as not yet compared. Commits in batches.
// Parameters: none
// Rows: none
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprUnmerged' IN labels(s)
CALL (s) {
  SET s:$($corpus + '_AprUnmerged')
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/apr/merging/compared
// Remove the mark from symbols that were compared with all others. Commits in batches.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprUnmerged)
CALL (s) {
  REMOVE s:{{corpus}}_AprUnmerged
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/apr/merging/edges
// Read edges of merged symbols that have no canonical edge yet.
// Parameters: none
// Rows: id STRING; head, relation, tail STRING (ids of the symbols, or of their representatives)
MATCH (s:{{corpus}}_AprAlias)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge) WHERE e.canonical IS NULL
WITH DISTINCT e
MATCH (e)-[:HEAD]->(h:{{corpus}}_AprEntity), (e)-[:RELATION]->(r:{{corpus}}_AprRelation), (e)-[:TAIL]->(t:{{corpus}}_AprEntity)
RETURN e.id AS id, r.id AS relation,
  coalesce(head([(h)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), h.id) AS head,
  coalesce(head([(t)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), t.id) AS tail

// -- systems/apr/merging/groups
// Read the whole groups of some symbols.
// Parameters: $ids LIST<STRING>
// Rows: group STRING (id of the representative); id, text STRING; vector LIST<FLOAT>; ordered by id
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

// -- systems/apr/merging/near
// Find the symbols near some symbols, with the vector index of entities.
// Parameters: $index STRING; $ids LIST<STRING>; $depth INTEGER (results to request from the index); $least FLOAT
//   (cosine)
// Rows: id, text STRING; near LIST<LIST> (id, text)
// Since: Neo4j 2026.04 (SEARCH)
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprEntity AND s.corpus = $corpus
CALL (s) {
  CALL db.index.vector.queryNodes($index, $depth, s.embedding) YIELD node, score
  // since: MATCH (node) SEARCH node IN (VECTOR INDEX {{$index}} FOR s.embedding LIMIT $depth) SCORE AS score
  WITH node, score WHERE 2 * score - 1 >= $least AND node <> s
  RETURN collect([node.id, node.text]) AS near
}
RETURN s.id AS id, s.text AS text, near

// -- systems/apr/merging/remove_unused
// Delete representatives without edges; their aliases must be compared again. A representative without aliases loses
// its mark. Commits in batches.
// Parameters: none
// Rows: none
MATCH (r:{{corpus}}_AprRepresentative)
CALL (r) {
  WITH r, COLLECT { MATCH (r)<-[:ALIAS_OF]-(s:{{corpus}}_AprEntity) RETURN s } AS aliases
  FOREACH (_ IN CASE WHEN aliases = [] THEN [1] ELSE [] END | REMOVE r:{{corpus}}_AprRepresentative)
  WITH r, aliases WHERE NOT EXISTS { (r)<-[:HEAD|TAIL]-(:{{corpus}}_AprEdge) }
  FOREACH (s IN aliases | REMOVE s:{{corpus}}_AprAlias SET s:{{corpus}}_AprUnmerged)
  DETACH DELETE r
  WITH aliases
  UNWIND aliases AS s
  MATCH (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)
  REMOVE e.canonical
} IN TRANSACTIONS OF 1000 ROWS

// -- systems/apr/merging/size
// Count the symbols, from the server's counts.
// Parameters: none
// Rows: symbols, entities, aliases, unmerged INTEGER; one row
RETURN COUNT { (:{{corpus}}_AprSymbol) } AS symbols,
  COUNT { (:{{corpus}}_AprEntity) } AS entities,
  COUNT { (:{{corpus}}_AprAlias) } AS aliases,
  COUNT { (:{{corpus}}_AprUnmerged) } AS unmerged

// -- systems/apr/merging/texts
// Read the texts of all entity symbols.
// Parameters: none
// Rows: id, text STRING; unmerged BOOLEAN (not yet compared)
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
RETURN s.id AS id, s.text AS text, $corpus + '_AprUnmerged' IN labels(s) AS unmerged

// -- systems/apr/merging/unmerge
// Undo all merging of symbols and edges. Commits in batches.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprAlias)
CALL (s) {
  REMOVE s:{{corpus}}_AprAlias
  WITH s
  OPTIONAL MATCH (s)-[alias:ALIAS_OF]->(:{{corpus}}_AprEntity)
  DELETE alias
  WITH DISTINCT s
  MATCH (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)
  REMOVE e.canonical
} IN TRANSACTIONS OF 1000 ROWS

// -- systems/apr/merging/unmerged
// List the symbols that were not yet compared.
// Parameters: none
// Rows: id STRING; ordered by id
MATCH (s:{{corpus}}_AprUnmerged) RETURN s.id AS id ORDER BY id

// -- systems/apr/merging/vectors
// Read the entity symbols that represent themselves, with their vectors.
// Parameters: none
// Rows: id, text STRING; vector LIST<FLOAT>; ordered by id
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprAlias' IN labels(s)
RETURN s.id AS id, s.text AS text, s.embedding AS vector ORDER BY id
