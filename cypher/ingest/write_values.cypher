// Ties documents to values of their metadata, which are made where they are new.
// Parameters: $rows LIST<MAP {id, key STRING (ids of the value and of its key); properties MAP; documents LIST<STRING>
//   (ids of those that are not tied to it yet)}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:MetadataValue:$($corpus), v += row.properties
WITH v, row
CALL (v, row) {
  WITH v, row WHERE NOT EXISTS { (v)-[:OF_KEY]->() }
  MATCH (k:Overstory {id: row.key})
  CREATE (v)-[:OF_KEY]->(k)
}
CALL (v, row) {
  UNWIND row.documents AS id
  MATCH (d:Overstory {id: id})
  CREATE (d)-[:HAS_VALUE]->(v)
}
