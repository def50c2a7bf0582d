// What some documents count for among the blocks of their folders; none for those that are in no folder.
// Parameters: $ids LIST<STRING>
// Rows: id, folder STRING (a path); blocks LIST<INTEGER> (hashes)
UNWIND $ids AS id
MATCH (d:Overstory {id: id})-[:IN_FOLDER]->(f:Overstory:Folder)
RETURN d.id AS id, f.path AS folder, d.blocks AS blocks
