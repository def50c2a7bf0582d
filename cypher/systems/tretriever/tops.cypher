// The largest sets that hold some vertices; a vertex in no set is one itself.
// Parameters: $ids LIST<STRING> (of documents or entities); $generation INTEGER
// Rows: id STRING; size INTEGER; each once
UNWIND $ids AS id
MATCH (unit:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TretrieverNode) WHERE leaf.generation = $generation
MATCH (leaf)-[:CHILD_OF*0..]->(top:Overstory:TretrieverNode) WHERE top.level = 1
RETURN DISTINCT top.id AS id, top.size AS size
