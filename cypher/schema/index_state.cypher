// The state of an index.
// Parameters: $name STRING
// Rows: state STRING ("ONLINE", "POPULATING", "FAILED"), dimension INTEGER or null; none if there is no such index
SHOW INDEXES YIELD name, state, options WHERE name = $name
RETURN state, options.indexConfig['vector.dimensions'] AS dimension
