// The passages that mention most names under some letters.
// Parameters: $letters LIST<STRING>; $limit INTEGER
// Rows: chunk STRING (id); names INTEGER; most first
MATCH (s:{{corpus}}_ToyLetter)<-[:UNDER]-()-[:FILES]->(e)<-[:MENTIONS]-(c:{{corpus}}_Chunk)
WHERE s.letters IN $letters
RETURN c.id AS chunk, count(DISTINCT e) AS names ORDER BY names DESC, chunk LIMIT $limit
