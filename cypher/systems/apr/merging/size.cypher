// How many symbols there are, from the counts that the server keeps.
// Parameters: none
// Rows: symbols, entities, aliases, unmerged INTEGER; one
RETURN COUNT { (:{{corpus}}_AprSymbol) } AS symbols,
  COUNT { (:{{corpus}}_AprEntity) } AS entities,
  COUNT { (:{{corpus}}_AprAlias) } AS aliases,
  COUNT { (:{{corpus}}_AprUnmerged) } AS unmerged
