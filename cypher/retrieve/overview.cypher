// -- retrieve/overview_documents
// Read some documents. Ids are hashes, so the lowest ids are a random sample.
// Parameters: $looked_at INTEGER (documents to read)
// Rows: documents LIST<MAP> (the properties); one row
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
WITH d ORDER BY d.corpus, d.id LIMIT $looked_at
RETURN collect(properties(d)) AS documents

// -- retrieve/first_passages
// Find the first passage of some documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: document, chunk STRING (ids)
UNWIND $documents AS id
MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0
RETURN id AS document, c.id AS chunk

// -- retrieve/overview_names
// Find the people, organisations, places and works that most of some documents name, so that a long manual counts once.
// Parameters: $documents LIST<STRING> (ids); $passages INTEGER (to read of each document); $limit INTEGER (names);
//   $most INTEGER (passages to return of each name)
// Rows: name STRING; documents INTEGER (of those given); chunks LIST<STRING> (ids; those about the name first); most
//   documents first
CALL () {
  UNWIND $documents AS id
  CALL (id) {
    MATCH (:Overstory {id: id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
    WITH c LIMIT $passages
    MATCH (c)-[:MENTIONS {by: 'ner'}]->(e:Overstory:Entity)
    WHERE e:PersonName OR e:OrganisationName OR e:PlaceName OR e:WorkName
    RETURN DISTINCT e
  }
  WITH e, count(*) AS documents WHERE documents > 1
  RETURN e, documents ORDER BY documents DESC, e.key LIMIT $limit
}
RETURN e.name AS name, documents,
  COLLECT {
    MATCH (e)-[about:ABOUT]->(c:Overstory:Chunk)
    WITH c, about LIMIT $passages
    RETURN c.id ORDER BY about.weight DESC, c.id LIMIT $most
  } + COLLECT {
    MATCH (e)<-[:MENTIONS {by: 'ner'}]-(c:Overstory:Chunk)
    WITH c LIMIT $passages
    RETURN c.id ORDER BY c.id LIMIT $most
  } AS chunks
ORDER BY documents DESC, e.key
