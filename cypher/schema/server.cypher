// -- schema/has_gds
// Check whether the Graph Data Science plugin is installed.
// Parameters: none
// Rows: name STRING; one row if it is installed, otherwise none
SHOW FUNCTIONS YIELD name WHERE name = 'gds.version' RETURN name

// -- schema/server_version
// Read the server's version and edition.
// Parameters: none
// Rows: version STRING, edition STRING; one row
CALL dbms.components() YIELD name, versions, edition
WITH name, versions[0] AS version, edition WHERE name = 'Neo4j Kernel'
RETURN version, edition

// -- schema/read_version
// Read the schema version with which the graph was written.
// Parameters: none
// Rows: version INTEGER; one row, or none in a database without Overstory's nodes
MATCH (meta:Overstory:OverstoryMeta {id: 'meta'})
RETURN meta.schema AS version
