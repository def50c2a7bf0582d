// Name: the names that are the same, and their facts
// Parameters: $name STRING (as texts write it; upper and lower case are one; where no fact has it, the name that most
//   others are the same as is shown)
// Rows: alias, fact PATH (from a name to the one that stands for it; from one of them over a fact to another name; fact is
//   null in the first rows, alias in the others); a picture of at most 40 facts. Needs overstory index --system apr
CALL () {
  MATCH (s:{{corpus}}_AprEntity) WHERE toLower($name) IN [toLower(s.text), s.key]
  OPTIONAL MATCH (s)-[:ALIAS_OF]->(r:{{corpus}}_AprEntity)
  RETURN coalesce(r, s) AS r, 0 AS rank
  UNION ALL
  MATCH (r:{{corpus}}_AprRepresentative)
  RETURN r, 1 AS rank
}
WITH r, COLLECT { MATCH (s:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r) RETURN s } AS aliases, rank
ORDER BY rank, size(aliases) DESC, r.id LIMIT 1
CALL (r, aliases) {
  MATCH alias = (:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r)
  RETURN alias, null AS fact
  UNION ALL
  UNWIND [r] + aliases AS s
  MATCH fact = (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(:{{corpus}}_AprEntity)
  WITH fact, e ORDER BY e.id LIMIT 40
  RETURN null AS alias, fact
}
RETURN alias, fact
