// The vectors of some symbols, as far as they are there.
// Parameters: $ids LIST<STRING>
// Rows: entities LIST<LIST> (id, vector as LIST<FLOAT>), relations LIST<LIST> (id, vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprSymbol AND s.corpus = $corpus
RETURN collect(CASE WHEN s:AprEntity THEN [s.id, s.embedding] END) AS entities,
  collect(CASE WHEN s:AprRelation THEN [s.id, s.vector] END) AS relations
