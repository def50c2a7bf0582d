// What stands below some communities.
// Parameters: $ids LIST<STRING> (communities)
// Rows: community STRING; units LIST<STRING> (ids of chunks, entities or documents)
UNWIND $ids AS id
MATCH (t:Overstory {id: id})<-[:CHILD_OF*]-(leaf:{{corpus}}_TreeNode)-[:COVERS]->(unit:{{corpus}})
RETURN id AS community, collect(unit.id) AS units
