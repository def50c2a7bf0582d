// How many units a corpus has, and how many of one kind changed since an index read them, or are new; of several kinds
// that an index reads, those of which it is most.
// A second inequality of `touched` would keep the planner from the index.
// Parameters: $units LIST<STRING> (labels of units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since)
// Rows: document, chunk, entity, pending INTEGER; one
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $units AS unit
  CALL (unit) {
    MATCH (n:Overstory)
    USING INDEX SEEK n:Overstory(corpus, touched)
    WHERE n.corpus = $corpus AND n.touched > $read_to AND unit IN labels(n) AND (n[$mark] IS NULL OR n[$mark] <> n.touched)
    RETURN count(n) AS changed
  }
  RETURN max(changed) AS pending
}
RETURN coalesce(corpus.documents, 0) AS document, coalesce(corpus.chunks, 0) AS chunk,
  coalesce(corpus.entities, 0) AS entity, pending
