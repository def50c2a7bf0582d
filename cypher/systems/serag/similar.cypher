// The stored nearest neighbours of chunks, where GDS found them.
// Parameters: none
// Rows: id STRING; others LIST<LIST> (id, score, which is (1 + cosine) / 2), the nearest first
MATCH (c:{{corpus}}_Chunk)-[s:SIMILAR]->(other:{{corpus}}_Chunk)
WITH c, other, s.score AS score ORDER BY score DESC, other.id
RETURN c.id AS id, collect([other.id, score]) AS others
