// Passages that mention a name, with what they say it by.
// Parameters: $asked MAP {rows LIST<MAP {entity STRING (id); chunks LIST<STRING> (ids; all of them if it is empty)}>}; $most
//   INTEGER (passages of a name)
// Rows: row INTEGER (its place in the list); passages LIST<MAP {chunk, document, source, source_key, title, text STRING;
//   boilerplate LIST<INTEGER> or null; surfaces LIST<STRING>}>
UNWIND range(0, size($asked.rows) - 1) AS row
MATCH (e:Overstory {id: $asked.rows[row].entity}) WHERE e:Entity AND e.corpus = $corpus
RETURN row, COLLECT {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE size($asked.rows[row].chunks) = 0 OR c.id IN $asked.rows[row].chunks
  WITH c, d, m LIMIT $most
  RETURN {chunk: c.id, document: d.id, source: d.source, source_key: d.source_key, title: c.title, text: c.text,
    boilerplate: c.boilerplate, surfaces: m.surfaces}
} AS passages
