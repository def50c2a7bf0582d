// Some documents with their chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, title STRING; chunks LIST<MAP {id, text STRING; boilerplate LIST<INTEGER> (its spans); seq, touched INTEGER}>,
//   in no particular order; in the order of the ids
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (c:Overstory:Chunk)-[:PART_OF]->(d)
  RETURN collect({
    id: c.id, text: c.text, boilerplate: coalesce(c.boilerplate, []), seq: c.seq, touched: c.touched
  }) AS chunks
}
RETURN d.id AS id, coalesce(d.title, '') AS title, chunks ORDER BY id
