// Which vectors of derived texts are stored, and those vectors.
// Parameters: $ids LIST<STRING> (of vectors)
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:DerivedVector AND v.corpus = $corpus
RETURN collect([id, v.vector]) AS vectors
