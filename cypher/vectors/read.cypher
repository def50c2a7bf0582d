// Which vectors of derived texts are stored, and those vectors.
// Parameters: $ids LIST<STRING> (of vectors)
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:{{corpus}}_DerivedVector
RETURN collect([id, v.vector]) AS vectors
