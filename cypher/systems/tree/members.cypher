// What stands below some communities.
// Parameters: $ids LIST<STRING> (communities)
// Rows: community STRING; units LIST<STRING> (ids of chunks, entities or documents)
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})<-[:CHILD_OF*]-(leaf:Overstory:TreeNode)-[:COVERS]->(unit:Overstory)
RETURN id AS community, collect(unit.id) AS units
