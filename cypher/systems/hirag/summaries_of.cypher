// The summaries of some entities.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of an entity and of its summary)
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[:SUMMARIZED_BY]->(s:{{corpus}}_HiragEntity) WHERE e:{{corpus}}_HiragEntity
RETURN id AS source, s.id AS target
