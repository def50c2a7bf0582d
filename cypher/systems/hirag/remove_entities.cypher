// Deletes entities with what is said of them.
// Parameters: $rows LIST<MAP {id STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:HiragEntity AND e.corpus = $corpus
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
DETACH DELETE e, d
