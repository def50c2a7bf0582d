// The titles of documents, and their first passages.
// Parameters: $ids LIST<STRING>
// Rows: id, title, key STRING; chunk STRING (id of the first passage); text STRING; boilerplate LIST<INTEGER>; the last
//   three null where there is no passage
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0
RETURN id, coalesce(d.title, '') AS title, d.source_key AS key, c.id AS chunk, c.text AS text,
  coalesce(c.boilerplate, []) AS boilerplate
