// How many chunks this extractor has not read. Looks at every chunk.
// Parameters: $fingerprint STRING
// Rows: chunks, missing INTEGER; one
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
WITH c.extracted AS extracted, count(*) AS n
RETURN sum(n) AS chunks, sum(CASE WHEN coalesce(extracted, '') <> $fingerprint THEN n ELSE 0 END) AS missing
