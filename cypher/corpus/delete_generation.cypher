// Deletes derived nodes of every generation but one, commits as it goes.
// Parameters: $name STRING (what was built: a tree, communities, …); $keep INTEGER
// Rows: none
MATCH (n:{{corpus}}_Derived) WHERE n.derived = $name AND n.generation <> $keep
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS
