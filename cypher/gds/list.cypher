// The in-memory graphs of this database whose names begin in a certain way.
// Parameters: $prefix STRING
// Rows: graph STRING; ordered
CALL db.info() YIELD name AS here
CALL gds.graph.list() YIELD graphName, database
WITH graphName WHERE database = here AND graphName STARTS WITH $prefix
RETURN graphName AS graph ORDER BY graph
