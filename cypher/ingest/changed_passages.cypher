// The chunks of every document of which a chunk changed.
// Parameters: none
// Rows: document, id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans);
//   only BOOLEAN (there is nothing else in it); documents one after the other, each in reading order
MATCH (:{{corpus}}_Changed:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WITH DISTINCT d
CALL (d) {
  MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
  RETURN c ORDER BY c.seq
}
RETURN d.id AS document, c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate, c:{{corpus}}_BoilerplateOnly AS only
