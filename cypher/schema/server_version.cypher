// The server's version and edition.
// Parameters: none
// Rows: version STRING, edition STRING; one
CALL dbms.components() YIELD name, versions, edition
WITH name, versions[0] AS version, edition WHERE name = 'Neo4j Kernel'
RETURN version, edition
