// The chunks of the documents that annotations are about.
// Parameters: $rows LIST<MAP {source, source_key, id STRING}> (id of the document, or "" to find it by its key)
// Rows: source, source_key (as given), document, chunk, text STRING; the chunks of a document in order
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE row.id <> ''
  MATCH (d:Overstory {id: row.id})
  RETURN d
  UNION
  WITH row WHERE row.id = ''
  MATCH (d:Overstory {corpus: $corpus, source_key: row.source_key})
  RETURN d
}
MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
RETURN row.source AS source, row.source_key AS source_key, d.id AS document, c.id AS chunk, c.text AS text
ORDER BY document, c.seq
