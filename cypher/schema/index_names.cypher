// The names of all indexes that Overstory made.
// Parameters: none
// Rows: name STRING, type STRING, state STRING
SHOW INDEXES YIELD name, type, state WHERE name STARTS WITH 'overstory_'
RETURN name, type, state ORDER BY name
