// The sets that lost members or their summary since they were written, and the largest ones that hold them. Looks at each
// set once: nothing else tells what deleted documents and names took along.
// Parameters: $generation INTEGER
// Rows: id, top STRING (null of the root); size, lost INTEGER (members); one of each set
MATCH (t:{{corpus}}_TretrieverNode) WHERE t.generation = $generation AND t.vector IS NOT NULL
WITH t, t.size - COLLECT { MATCH (t)<-[:CHILD_OF]-(below:{{corpus}}_TretrieverNode) RETURN sum(below.size) }[0] AS lost
WHERE lost > 0 OR (t.level > 0 AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) })
OPTIONAL MATCH (t)-[:CHILD_OF*0..]->(top:{{corpus}}_TretrieverNode) WHERE top.level = 1
RETURN t.id AS id, top.id AS top, top.size AS size, lost
