// The next page of chunks that the sentences stage has not looked at since they, or the names in them, changed.
// Parameters: $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id, text STRING; starts LIST<INTEGER> (first characters of all sentences); wanted LIST<INTEGER> (the sentences
//   that say a name which a chunk is about); stored LIST<STRING> (ids of those that have a vector); ordered by id
MATCH (c:{{corpus}}_Chunk) WHERE c.id > $after AND c.sentence_vectors IS NULL
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.text AS text, coalesce(c.sentences, [0]) AS starts,
  COLLECT {
    MATCH (c)-[m:MENTIONS {by: 'dictionary'}]->(e:Entity:{{corpus}}) WHERE e.subject
    UNWIND m.sentences AS sentence
    RETURN DISTINCT sentence
  } AS wanted,
  [(c)<-[:PART_OF]-(s:{{corpus}}_Sentence) | s.id] AS stored
ORDER BY id
