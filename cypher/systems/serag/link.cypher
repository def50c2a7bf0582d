// Writes edges of the chunk graph, which must not be there yet.
// Parameters: $rows LIST<MAP {one, other STRING (chunks); similar, shared, near FLOAT; weight, semantic_weight FLOAT, left
//   out where the edge is not among the strongest of the fused graph, or of that of meaning alone}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.one}), (b:Overstory {id: row.other})
CREATE (a)-[l:LINKED {similar: row.similar, shared: row.shared, near: row.near}]->(b)
SET l.weight = row.weight, l.semantic_weight = row.semantic_weight
