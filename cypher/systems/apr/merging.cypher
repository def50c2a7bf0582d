// -- systems/apr/merging/join
// Gives symbols that have no representative one.
// Parameters: $rows LIST<MAP {id, representative STRING; cosine FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (s:Overstory {id: row.id}) WHERE s:AprEntity AND s.corpus = $corpus
MATCH (representative:Overstory {id: row.representative}) WHERE representative:AprEntity AND representative.corpus = $corpus
CREATE (s)-[:ALIAS_OF {cosine: row.cosine}]->(representative)
SET s:$($corpus + '_AprAlias'), representative:$($corpus + '_AprRepresentative')

// -- systems/apr/merging/part
// Takes some symbols out of their groups, and what was merged off their edges.
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
// Writes what edges are after merging.
// Parameters: $rows LIST<MAP {id, canonical STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:AprEdge AND e.corpus = $corpus
SET e.canonical = row.canonical

// -- systems/apr/merging/compare_all
// Marks all symbols of entities as such that were compared with no other; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprUnmerged' IN labels(s)
CALL (s) {
  SET s:$($corpus + '_AprUnmerged')
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/apr/merging/compared
// Takes the mark off symbols that were compared with all others; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:{{corpus}}_AprUnmerged)
CALL (s) {
  REMOVE s:{{corpus}}_AprUnmerged
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/apr/merging/edges
// The edges at symbols that have a representative, if they do not yet say what they are after merging.
// Parameters: none
// Rows: id STRING; head, relation, tail STRING (ids of the symbols, or of their representatives)
MATCH (s:{{corpus}}_AprAlias)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge) WHERE e.canonical IS NULL
WITH DISTINCT e
MATCH (e)-[:HEAD]->(h:{{corpus}}_AprEntity), (e)-[:RELATION]->(r:{{corpus}}_AprRelation), (e)-[:TAIL]->(t:{{corpus}}_AprEntity)
RETURN e.id AS id, r.id AS relation,
  coalesce(head([(h)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), h.id) AS head,
  coalesce(head([(t)-[:ALIAS_OF]->(x:{{corpus}}_AprEntity) | x.id]), t.id) AS tail

// -- systems/apr/merging/groups
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

// -- systems/apr/merging/near
// The symbols near some, by the index of entities.
// Parameters: $index STRING; $ids LIST<STRING>; $depth INTEGER (how many the index is asked for); $least FLOAT (cosine)
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
// Deletes representatives that no edge has any more; their aliases are to be compared again. One that has no aliases any
// more is none. Commits as it goes.
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
// How many symbols there are, from the counts that the server keeps.
// Parameters: none
// Rows: symbols, entities, aliases, unmerged INTEGER; one row
RETURN COUNT { (:{{corpus}}_AprSymbol) } AS symbols,
  COUNT { (:{{corpus}}_AprEntity) } AS entities,
  COUNT { (:{{corpus}}_AprAlias) } AS aliases,
  COUNT { (:{{corpus}}_AprUnmerged) } AS unmerged

// -- systems/apr/merging/texts
// The texts of all symbols of entities.
// Parameters: none
// Rows: id, text STRING; unmerged BOOLEAN (whether it was compared with no other)
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
RETURN s.id AS id, s.text AS text, $corpus + '_AprUnmerged' IN labels(s) AS unmerged

// -- systems/apr/merging/unmerge
// Undoes merging: symbols stand for themselves again, and edges too; commits as it goes.
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
// The symbols that were compared with no other.
// Parameters: none
// Rows: id STRING; in the order of the ids
MATCH (s:{{corpus}}_AprUnmerged) RETURN s.id AS id ORDER BY id

// -- systems/apr/merging/vectors
// The symbols of entities that stand for themselves, with their vectors.
// Parameters: none
// Rows: id, text STRING; vector LIST<FLOAT>; in the order of the ids
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprAlias' IN labels(s)
RETURN s.id AS id, s.text AS text, s.embedding AS vector ORDER BY id
