// Deletes documents whose chunks are gone, with the nodes that stand on them. What such nodes share goes with the last of
// them.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:{{corpus}}_Document
CALL (d) {
  MATCH (n:{{corpus}}_OfDocument)-->(d)
  OPTIONAL MATCH (n)-->(shared:{{corpus}}_Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  DETACH DELETE s
}
DETACH DELETE d
