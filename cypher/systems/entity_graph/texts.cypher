// The texts of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, text STRING; boilerplate LIST<INTEGER> (its spans); in no particular order
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.text AS text, coalesce(c.boilerplate, []) AS boilerplate
