// The edges at some leaves.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of leaves); one, other STRING (of their entities); weight FLOAT; chunks LIST<STRING>
//   (ids); each once
UNWIND $ids AS id
MATCH (a:Overstory {id: id})-[e:TRETRIEVER_EDGE]-(:{{corpus}}_TretrieverNode) WHERE a:{{corpus}}_TretrieverNode
WITH DISTINCT e
MATCH (one:Entity:{{corpus}})<-[:COVERS]-(a:{{corpus}}_TretrieverNode) WHERE a = startNode(e)
MATCH (other:Entity:{{corpus}})<-[:COVERS]-(b:{{corpus}}_TretrieverNode) WHERE b = endNode(e)
RETURN a.id AS source, b.id AS target, one.id AS one, other.id AS other, e.weight AS weight, e.chunks AS chunks
