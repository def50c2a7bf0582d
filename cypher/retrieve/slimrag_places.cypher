// Where some sentences of SlimRAG stand.
// Parameters: $ids LIST<STRING>
// Rows: places LIST<LIST> (the ids of a sentence and of its chunk); one
UNWIND $ids AS id
MATCH (s:Overstory {id: id})-[:PART_OF]->(c) WHERE s:{{corpus}}_SlimSentence
RETURN collect([id, c.id]) AS places
