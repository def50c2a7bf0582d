// How many symbols there are, from the counts that the server keeps.
// Parameters: none
// Rows: symbols, entities, aliases, unmerged INTEGER; one
CALL () { MATCH (s:{{corpus}}_AprSymbol) RETURN count(s) AS symbols }
CALL () { MATCH (s:{{corpus}}_AprEntity) RETURN count(s) AS entities }
CALL () { MATCH (s:{{corpus}}_AprAlias) RETURN count(s) AS aliases }
CALL () { MATCH (s:{{corpus}}_AprUnmerged) RETURN count(s) AS unmerged }
RETURN symbols, entities, aliases, unmerged
