// The version of the Graph Data Science plugin.
// Parameters: none
// Rows: version STRING; one
RETURN gds.version() AS version
