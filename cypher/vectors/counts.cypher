// What the store of vectors of derived texts holds.
// Parameters: $embedder STRING (that of the corpus)
// Rows: vectors, uses, unused, awaited, other_embedders INTEGER; one
MATCH (v:{{corpus}}_DerivedVector)
WITH v, COUNT { (v)<-[:HAS_VECTOR]-() } AS users
RETURN count(v) AS vectors, sum(users) AS uses, count(CASE WHEN users = 0 THEN 1 END) AS unused,
  count(v.awaited_by) AS awaited, count(CASE WHEN v.embedder <> $embedder THEN 1 END) AS other_embedders
