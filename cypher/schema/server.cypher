// -- schema/has_gds
// Whether the Graph Data Science plugin is there.
// Parameters: none
// Rows: name STRING; one if it is, none if not
SHOW FUNCTIONS YIELD name WHERE name = 'gds.version' RETURN name

// -- schema/server_version
// The server's version and edition.
// Parameters: none
// Rows: version STRING, edition STRING; one row
CALL dbms.components() YIELD name, versions, edition
WITH name, versions[0] AS version, edition WHERE name = 'Neo4j Kernel'
RETURN version, edition

// -- schema/read_version
// The schema version that the graph was written with.
// Parameters: none
// Rows: version INTEGER; none in a database that Overstory never wrote to
MATCH (meta:Overstory:OverstoryMeta {id: 'meta'})
RETURN meta.schema AS version
