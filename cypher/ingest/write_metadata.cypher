// Writes the metadata of documents of which nothing else changed: no system builds on these, and `touched` stays.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>; a property that is null is removed
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
SET d += row.properties
