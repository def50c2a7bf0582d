// Which of some indexes are there and answer.
// Parameters: $names LIST<STRING>
// Rows: name STRING
SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE'
RETURN name
