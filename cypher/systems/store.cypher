// -- systems/store/remove
// Delete nodes of a system.
// Parameters: $rows LIST<MAP {id STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (n:Overstory {id: row.id}) WHERE n.corpus = $corpus
DETACH DELETE n

// -- systems/store/relate
// Write relationships of one type between nodes of a system. They must not exist yet.
// Parameters: $type STRING; $rows LIST<MAP {source, target STRING (ids); properties MAP}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})
MATCH (b:Overstory {id: row.target})
CREATE (a)-[r:$($type)]->(b)
SET r = row.properties

// -- systems/store/unrelate
// Delete the relationships of one type between pairs of nodes of a system.
// Parameters: $type STRING; $rows LIST<MAP {source, target STRING (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.source})-[r:$($type)]->(b:Overstory {id: row.target})
DELETE r

// -- systems/store/insert
// Write nodes of a system. An existing node stays as it is.
// Parameters: $labels LIST<STRING> (from `System.owns`); $rows LIST<MAP {id STRING; properties MAP; vector LIST<FLOAT>,
//   or null for nodes without an `embedding`}>
// Rows: none
UNWIND $rows AS row
MERGE (n:Overstory {id: row.id})
ON CREATE SET n += row.properties, n.corpus = $corpus, n:$($corpus):$($labels)
WITH n, row WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)
