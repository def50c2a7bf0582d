// The sentences of some chunks, as SlimRAG has them.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: sentences LIST<STRING> (ids); one
UNWIND $ids AS id
MATCH (c:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(s:Overstory:SlimSentence)
RETURN collect(s.id) AS sentences
