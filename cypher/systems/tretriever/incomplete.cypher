// The sets that lost members or their summary since they were written, and the largest ones that hold them. Looks at those
// that deletions have marked.
// Parameters: $generation INTEGER
// Rows: id, top STRING (null of the root); size, lost INTEGER (members); one of each set
CALL () {
  MATCH (t:{{corpus}}_Parted) RETURN t
  UNION
  MATCH (t:{{corpus}}_Unreported) RETURN t
}
WITH t WHERE t:{{corpus}}_TretrieverNode AND t.generation = $generation AND t.vector IS NOT NULL
WITH t, t.size - COLLECT { MATCH (t)<-[:CHILD_OF]-(below:{{corpus}}_TretrieverNode) RETURN sum(below.size) }[0] AS lost
WHERE lost > 0 OR (t.level > 0 AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) })
OPTIONAL MATCH (t)-[:CHILD_OF*0..]->(top:{{corpus}}_TretrieverNode) WHERE top.level = 1
RETURN t.id AS id, top.id AS top, top.size AS size, lost
