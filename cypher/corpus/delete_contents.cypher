// Deletes some of what a corpus holds, but not the corpus itself.
// Parameters: $most INTEGER
// Rows: deleted INTEGER; one
MATCH (n:{{corpus}}) WHERE NOT n:Corpus
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS deleted
