// The chunks of some communities.
// Parameters: $ids LIST<STRING> (communities)
// Rows: community STRING; chunks LIST<STRING>
UNWIND $ids AS id
MATCH (t:Overstory {id: id})<-[:CHILD_OF*]-(leaf)-[:COVERS]->(c:{{corpus}}_Chunk)
RETURN id AS community, collect(c.id) AS chunks
