// -- export/about
// Export the subjects of all chunks.
// Parameters: none
// Rows: key, name, type (of the entity), document, source STRING; chunk INTEGER (position in the document); weight
//   FLOAT
MATCH (e:Overstory:Entity)-[a:ABOUT]->(c:Overstory {corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN e.key AS key, e.name AS name, e.type AS type, d.source + ' ' + d.source_key AS document,
  c.seq AS chunk, a.weight AS weight,
  a.source AS source

// -- export/dictionary_mentions
// Export the dictionary mentions.
// Parameters: none
// Rows: key, name (of the entity), document STRING; df INTEGER; chunk INTEGER (position in the document); surfaces
//   LIST<STRING>; sentences LIST<INTEGER>
MATCH (e:Overstory:Entity)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory {corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN e.key AS key, e.name AS name, e.dictionary_df AS df, d.source + ' ' + d.source_key AS document, c.seq AS chunk,
  m.surfaces AS surfaces, m.sentences AS sentences

// -- export/entities
// Export the entities that the entities stage names, without those that only the dictionary found.
// Parameters: none
// Rows: key, name, type STRING; aliases LIST<STRING>; df INTEGER
MATCH (e:Entity:{{corpus}}) WHERE EXISTS { (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by <> 'dictionary' }
RETURN e.key AS key, e.name AS name, e.type AS type, e.aliases AS aliases, e.df AS df

// -- export/order
// Export the order of the chunks of all documents.
// Parameters: none
// Rows: document STRING; first, second INTEGER (positions of two successive chunks)
MATCH (a:Overstory {corpus: $corpus})-[:NEXT]->(b:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK a:Overstory(corpus, id, token_count)
WHERE a.id > '' AND a.token_count IS NOT NULL
RETURN d.source + ' ' + d.source_key AS document, a.seq AS first, b.seq AS second

// -- export/relations
// Export the relationships between entities.
// Parameters: none
// Rows: subject, predicate, object, description STRING; weight INTEGER
MATCH (s:Entity:{{corpus}})-[r:RELATED]->(o:Entity:{{corpus}})
RETURN s.key AS subject, r.predicate AS predicate, o.key AS object, r.weight AS weight, r.description AS description

// -- export/mentions
// Export the mentions of some chunks, without dictionary mentions, which can be computed from the others and the texts.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, key, by STRING; surfaces, types LIST<STRING>; sentences LIST<INTEGER>; ordered
UNWIND $chunks AS chunk
MATCH (:Overstory {id: chunk, corpus: $corpus})-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by <> 'dictionary'
RETURN chunk, e.key AS key, m.by AS by, m.surfaces AS surfaces, m.types AS types, m.sentences AS sentences
ORDER BY chunk, by, key

// -- export/statements
// Export the facts that some chunks state.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, subject, subject_key, predicate, object, object_key, by, quote STRING; position INTEGER; sentence
//   INTEGER or null; times MAP (properties); a key is "" if the argument is not an entity; ordered
UNWIND $chunks AS chunk
MATCH (:Overstory {id: chunk, corpus: $corpus})<-[st:STATED_IN]-(f:Overstory:Fact)
OPTIONAL MATCH (f)-[:SUBJECT]->(s:Overstory:Entity)
OPTIONAL MATCH (f)-[:OBJECT]->(o:Overstory:Entity)
RETURN chunk, f.subject AS subject, coalesce(s.key, '') AS subject_key, f.predicate AS predicate, f.object AS object,
  coalesce(o.key, '') AS object_key, st.by AS by, st.position AS position, st.sentence AS sentence, st.quote AS quote,
  st {.holds_from, .holds_from_precision, .holds_to, .holds_to_precision, .said_at, .said_at_precision, .ended,
    .time_words} AS times
ORDER BY chunk, by, position, subject, predicate, object

// -- export/chunks
// Export the chunks of some documents, with their vectors.
// Parameters: $documents LIST<STRING> (ids); $property STRING (of the vectors)
// Rows: document, id, heading, text STRING; start, end, token_count INTEGER; extracted STRING or null;
//   sentences, boilerplate LIST<INTEGER> or null; vector LIST<FLOAT> or null; the chunks of a document in order
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
RETURN document, c.id AS id, c.heading AS heading, c.text AS text, c.start AS start, c.end AS end,
  c.token_count AS token_count, c.extracted AS extracted, c.sentences AS sentences, c.boilerplate AS boilerplate,
  v[$property] AS vector
ORDER BY document, c.seq
