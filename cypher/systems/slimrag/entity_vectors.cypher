// The vectors of some entities of SlimRAG, as far as they are there.
// Parameters: $ids LIST<STRING>
// Rows: vectors LIST<LIST> (the id of an entity, its vector as LIST<FLOAT>); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus
RETURN collect([id, e.embedding]) AS vectors
