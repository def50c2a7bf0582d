// Deletes what stands for a new document of which not all was written, once its chunks are gone.
// Parameters: $id STRING
// Rows: none
MATCH (d:Overstory {id: $id}) WHERE NOT d:Document
DETACH DELETE d
