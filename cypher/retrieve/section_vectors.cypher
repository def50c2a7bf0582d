// The vectors of the sections that some chunks are in, where they have one.
// Parameters: $ids LIST<STRING> (chunks); $property STRING (where the vectors are)
// Rows: sections LIST<LIST<LIST>> (of each section its chunks: an id, a vector, how many tokens were embedded); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
OPTIONAL MATCH (first:Overstory {id: c.section})
WITH DISTINCT coalesce(first.section_chunks, [id]) AS chunks // the first is gone while a large document is replaced
WITH chunks, COLLECT {
  UNWIND chunks AS chunk
  MATCH (c:Overstory {id: chunk})-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  WITH c, v[$property] AS vector WHERE any(x IN vector WHERE x < 0.0 OR x > 0.0)
  RETURN [c.id, vector, c.token_count]
} AS members
RETURN collect(members) AS sections
