// Writes the pages that chunks begin on, which says nothing to systems: `touched` stays.
// Parameters: $rows LIST<MAP {id STRING; page INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.page = row.page
