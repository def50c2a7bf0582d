// How many chunks this extractor has not read, and how many another one has.
// Parameters: $fingerprint STRING
// Rows: chunks, missing, other INTEGER; one
MATCH (c:{{corpus}}_Chunk)
WITH c.extracted AS extracted, count(*) AS n
RETURN sum(n) AS chunks, sum(CASE WHEN coalesce(extracted, '') <> $fingerprint THEN n ELSE 0 END) AS missing,
  sum(CASE WHEN extracted <> $fingerprint THEN n ELSE 0 END) AS other
