// Hangs nodes of a tree below their parents, away from those they were below.
// Parameters: $rows LIST<MAP {id, parent STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id})
MATCH (above:Overstory {id: row.parent})
CALL (t) {
  MATCH (t)-[old:CHILD_OF]->(:Overstory)
  DELETE old
}
CREATE (t)-[:CHILD_OF]->(above)
