// The summaries of some entities.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of an entity and of its summary)
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity) WHERE e:HiragEntity AND e.corpus = $corpus
RETURN id AS source, s.id AS target
