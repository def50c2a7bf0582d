// The edges at some leaves.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of leaves); one, other STRING (of their entities, null where one is gone);
//   weight FLOAT; chunks LIST<STRING> (ids); each once
UNWIND $ids AS id
MATCH (leaf:Overstory {id: id}) WHERE leaf:TretrieverNode AND leaf.corpus = $corpus
MATCH (leaf)-[e:TRETRIEVER_EDGE]-(:Overstory:TretrieverNode)
WITH DISTINCT e
MATCH (a:Overstory:TretrieverNode)-[e]->(b:Overstory:TretrieverNode)
RETURN a.id AS source, b.id AS target, [(a)-[:COVERS]->(unit:Overstory:Entity) | unit.id][0] AS one,
  [(b)-[:COVERS]->(unit:Overstory:Entity) | unit.id][0] AS other, e.weight AS weight, e.chunks AS chunks
