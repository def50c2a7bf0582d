// Deletes entities that nothing mentions any more, with the nodes that stand on them. What such nodes share goes with the
// last of them.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity:{{corpus}}
CALL (e) {
  MATCH (n:{{corpus}}_OfEntity)-->(e)
  OPTIONAL MATCH (n)-->(shared:{{corpus}}_Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  DETACH DELETE s
}
DETACH DELETE e
