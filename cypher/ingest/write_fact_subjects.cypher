// Ties facts to the entities that are their subjects.
// Parameters: $rows LIST<MAP {fact, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (f:Overstory {id: row.fact}), (e:Overstory {id: row.entity})
MERGE (f)-[:SUBJECT]->(e)
