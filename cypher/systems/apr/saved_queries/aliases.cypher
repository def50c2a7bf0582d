// Name: the names that are the same, and their facts
// Parameters: $name STRING (as texts write it; upper and lower case are one; where no other is the same, the largest group
//   is shown)
// Rows: alias, fact PATH (from a name to the one that stands for it; from one of them over a fact to another name; fact is
//   null in the first rows, alias in the others); a picture of at most 40 facts. Needs overstory index --system apr
MATCH (r:{{corpus}}_AprRepresentative)
WITH r, [r] + COLLECT { MATCH (s:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r) RETURN s } AS group
WITH r, group, any(s IN group WHERE toLower(s.text) = toLower($name)) AS asked
ORDER BY asked DESC, size(group) DESC, r.id LIMIT 1
CALL (r, group) {
  MATCH alias = (:{{corpus}}_AprEntity)-[:ALIAS_OF]->(r)
  RETURN alias, null AS fact
  UNION ALL
  UNWIND group AS s
  MATCH fact = (s)<-[:HEAD|TAIL]-(e:{{corpus}}_AprEdge)-[:HEAD|TAIL]->(other:{{corpus}}_AprEntity)
  WITH fact, e ORDER BY e.id LIMIT 40
  RETURN null AS alias, fact
}
RETURN alias, fact
