// How many documents there are, and how many of them SlimRAG has read; from the counts that the database keeps.
// Parameters: none
// Rows: documents, done INTEGER; one
CALL () { MATCH (d:{{corpus}}_Document) RETURN count(d) AS documents }
CALL () { MATCH (d:{{corpus}}_SlimRead) RETURN count(d) AS done }
RETURN documents, done
