// Puts documents into their folders, and marks those that hold boilerplate, or did.
// Parameters: $rows LIST<MAP {document, folder STRING (ids; "" for no folder); hashes LIST<INTEGER>; blocks LIST<STRING>
//   (their ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
SET d.blocks = row.hashes
WITH d, row
CALL (d, row) {
  WITH d, row WHERE row.folder <> ''
  MATCH (f:Overstory {id: row.folder})
  MERGE (d)-[:IN_FOLDER]->(f)
}
CALL (d, row) {
  WITH d, row
  WHERE EXISTS { UNWIND row.blocks AS id MATCH (b:Overstory {id: id}) WHERE b.boilerplate }
    OR EXISTS { (d)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.boilerplate IS NOT NULL }
  SET d:$($corpus + '_BoilerplateStale')
}
