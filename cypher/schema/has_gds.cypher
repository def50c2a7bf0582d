// Whether the Graph Data Science plugin is there.
// Parameters: none
// Rows: name STRING; one if it is, none if not
SHOW FUNCTIONS YIELD name WHERE name = 'gds.version' RETURN name
