// The edges at some leaves.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of leaves); one, other STRING (of their entities, null where one is gone);
//   weight FLOAT; chunks LIST<STRING> (ids); each once
UNWIND $ids AS id
MATCH (leaf:Overstory {id: id}) WHERE leaf:{{corpus}}_TretrieverNode
MATCH (leaf)-[e:TRETRIEVER_EDGE]-(:{{corpus}}_TretrieverNode)
WITH DISTINCT e
MATCH (a:{{corpus}}_TretrieverNode)-[e]->(b:{{corpus}}_TretrieverNode)
RETURN a.id AS source, b.id AS target, [(a)-[:COVERS]->(unit:Entity:{{corpus}}) | unit.id][0] AS one,
  [(b)-[:COVERS]->(unit:Entity:{{corpus}}) | unit.id][0] AS other, e.weight AS weight, e.chunks AS chunks
