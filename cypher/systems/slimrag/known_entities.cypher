// Which of some entities SlimRAG has.
// Parameters: $ids LIST<STRING>
// Rows: id STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus
RETURN id
