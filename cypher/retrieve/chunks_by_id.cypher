// Some chunks, to be shown.
// Parameters: $ids LIST<STRING>
// Rows: chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER (characters in the
//   document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector);
//   sentences LIST<INTEGER> (first characters)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:PART_OF]->(d:{{corpus}}_Document) WHERE c:{{corpus}}_Chunk
RETURN c.id AS chunk_id, d.id AS document_id, d.source AS source, d.source_key AS source_key, c.title AS title,
  c.heading AS heading, c.text AS text, c.start AS start, c.end AS end,
  c.boilerplate AS boilerplate, properties(d) AS document,
  coalesce([(c)-[:HAS_VECTOR]->(v:{{corpus}}_PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0) AS repeated,
  coalesce(c.sentences, [0]) AS sentences
