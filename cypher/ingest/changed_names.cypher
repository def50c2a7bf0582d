// The names of which something changed since the mentions stage last ran.
// Parameters: none
// Rows: key STRING
MATCH (e:{{corpus}}_Changed:Entity)
RETURN e.key AS key
