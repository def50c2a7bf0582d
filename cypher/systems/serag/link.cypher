// Writes edges of the chunk graph, which must not be there yet.
// Parameters: $rows LIST<MAP {one, other STRING (chunks); weight, similar, shared, near FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.one}), (b:Overstory {id: row.other})
CREATE (a)-[:LINKED {weight: row.weight, similar: row.similar, shared: row.shared, near: row.near}]->(b)
