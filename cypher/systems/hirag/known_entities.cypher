// Which of some names a corpus has.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: id STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
RETURN id
