// The vectors of some sentences of SlimRAG.
// Parameters: $ids LIST<STRING>
// Rows: vectors LIST<LIST> (the id of a sentence, its vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:{{corpus}}_SlimSentence
RETURN collect([id, s.vector]) AS vectors
