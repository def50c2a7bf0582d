// Some chunks, to be shown.
// Parameters: $ids LIST<STRING>
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); document MAP (its properties); sentences LIST<INTEGER> (first characters)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:PART_OF]->(d:{{corpus}}_Document) WHERE c:{{corpus}}_Chunk
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end, properties(d) AS document, coalesce(c.sentences, [0]) AS sentences
