// The chunks of some documents, with the boilerplate that is marked in them.
// Parameters: $ids LIST<STRING> (documents)
// Rows: document, id, title, heading, text STRING; language STRING or null; start INTEGER (character in the document); boilerplate LIST<INTEGER>;
//   held, only BOOLEAN; the chunks of a document in order
UNWIND $ids AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN document, c.id AS id, c.title AS title, c.heading AS heading, c.text AS text, c.start AS start,
  c.language AS language,
  coalesce(c.boilerplate, []) AS boilerplate, $corpus + '_Boilerplate' IN labels(c) AS held, c:BoilerplateOnly AS only
ORDER BY document, c.seq
