// The state of an index.
// Parameters: $name STRING
// Rows: state STRING ("ONLINE", "POPULATING", "FAILED"), percent FLOAT (of what is to be in it), dimension INTEGER or
//   null; none if there is no such index
SHOW INDEXES YIELD name, state, populationPercent, options WHERE name = $name
RETURN state, populationPercent AS percent, options.indexConfig['vector.dimensions'] AS dimension
