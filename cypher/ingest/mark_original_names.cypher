// Marks the chunks whose names were edited by hand and that had some names before: for the entities stage, or where they
// are about such a name, for the mentions stage; commits as it goes.
// Parameters: $keys LIST<STRING>
// Rows: none
MATCH (o:{{corpus}}_OriginalNames)-[:OF]->(c:{{corpus}}_Chunk) WHERE any(key IN o.keys WHERE key IN $keys)
CALL (o, c) {
  FOREACH (_ IN CASE WHEN o.by = 'about' THEN [1] ELSE [] END | SET c:{{corpus}}_Changed)
  FOREACH (_ IN CASE WHEN o.by = 'about' THEN [] ELSE [1] END | SET c:{{corpus}}_Renamed)
} IN TRANSACTIONS OF 10000 ROWS
