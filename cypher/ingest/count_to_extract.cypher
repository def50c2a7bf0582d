// How many chunks this extractor has not read. Looks at every chunk.
// Parameters: $fingerprint STRING
// Rows: chunks, missing INTEGER; one
MATCH (c:{{corpus}}_Chunk)
WITH c.extracted AS extracted, count(*) AS n
RETURN sum(n) AS chunks, sum(CASE WHEN coalesce(extracted, '') <> $fingerprint THEN n ELSE 0 END) AS missing
