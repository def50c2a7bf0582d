// The chunks of some documents, with their vectors.
// Parameters: $documents LIST<STRING> (ids); $property STRING (where the vectors are)
// Rows: document, id, heading, text STRING; start, end, token_count INTEGER; extracted STRING or null;
//   sentences, boilerplate LIST<INTEGER> or null; vector LIST<FLOAT> or null; the chunks of a document in order
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN document, c.id AS id, c.heading AS heading, c.text AS text, c.start AS start, c.end AS end,
  c.token_count AS token_count, c.extracted AS extracted, c.sentences AS sentences, c.boilerplate AS boilerplate,
  v[$property] AS vector
ORDER BY document, c.seq
