// The next documents whose boilerplate must be marked again.
// Parameters: $limit INTEGER
// Rows: id, folder (id, "" for no folder) STRING; chunks INTEGER; blocks LIST<INTEGER> (hashes)
MATCH (d:{{corpus}}_BoilerplateStale:Document)
WITH d LIMIT $limit
OPTIONAL MATCH (d)-[:IN_FOLDER]->(f:Folder:{{corpus}})
RETURN d.id AS id, coalesce(f.id, '') AS folder, d.chunks AS chunks, coalesce(d.blocks, []) AS blocks
