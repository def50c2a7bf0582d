// The vectors of some edges.
// Parameters: $ids LIST<STRING>
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:AprEdge AND e.corpus = $corpus
RETURN collect([e.id, e.vector]) AS vectors
