// -- systems/entity_graph/entities_of
// Select the names that may become entities of a graph, as in `entities`.
// Parameters: $ids LIST<STRING>
// Rows: id, key, name, type STRING; df INTEGER; unordered
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  AND e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact) })
RETURN e.id AS id, e.key AS key, e.name AS name, coalesce(e.type, '') AS type, e.df AS df

// -- systems/entity_graph/fact_texts
// Read the texts of some facts from OpenIE triples.
// Parameters: $rows LIST<MAP {chunk STRING (id); positions LIST<INTEGER> (of the statements)}>
// Rows: chunk, text STRING; position INTEGER; unordered
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk, corpus: $corpus})<-[s:STATED_IN {by: 'openie'}]-(f:Overstory:Fact) WHERE s.position IN row.positions
RETURN c.id AS chunk, s.position AS position, f.text AS text

// -- systems/entity_graph/passages_of
// Find the chunks that mention some entities, are about them, or state facts about them.
// Parameters: $ids LIST<STRING>; $most INTEGER (chunks to read per entity)
// Rows: id STRING; whole BOOLEAN (no chunk was left out); chunks LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  CALL (e) {
    MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
    UNION
    MATCH (e)-[:ABOUT]->(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
    UNION
    MATCH (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact)-[:STATED_IN]->(c:Overstory:Chunk)
    RETURN c LIMIT $most + 1
  }
  RETURN collect(c.id) AS chunks
}
RETURN e.id AS id, size(chunks) <= $most AS whole, chunks[..$most] AS chunks

// -- systems/entity_graph/texts
// Read the texts of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: id, text STRING; boilerplate LIST<INTEGER> (spans); unordered
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.text AS text, coalesce(c.boilerplate, []) AS boilerplate

// -- systems/entity_graph/count_names
// Count the names that passages mention, without dictionary mentions, and the passages.
// Parameters: none
// Rows: names, chunks INTEGER; one row
MATCH (e:Entity:{{corpus}}) WHERE e.df > 0
WITH count(e) AS names // one row even without entities
RETURN names, COUNT { (c:{{corpus}}_Chunk) } AS chunks

// -- systems/entity_graph/entities
// List the names that may become entities of a graph: in at least two passages or in a fact, without dictionary
// mentions.
// Parameters: none
// Rows: id, key, name, type STRING; unordered
MATCH (e:Entity:{{corpus}})
WHERE e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Fact:{{corpus}}) })
RETURN e.id AS id, e.key AS key, e.name AS name, coalesce(e.type, '') AS type

// -- systems/entity_graph/incidence
// Read some chunks with their mentions, subjects and statements. For a chunk with OpenIE triples, dictionary mentions
// are included, because only they have sentences.
// Parameters: $ids LIST<STRING> (of chunks); $sure FLOAT (minimum weight of ABOUT)
// Rows: id STRING; seq INTEGER; starts LIST<INTEGER> (sentence starts); boilerplate LIST<INTEGER>; mentions LIST<LIST>
//   (id of an entity, by, numbers of the sentences); about LIST<LIST> (id of an entity, weight); statements LIST<LIST>
//   (ids of subject and object or null, by, number of the sentence or null, position); ordered by id
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
WITH c, EXISTS { (c)-[:MENTIONS {by: 'openie'}]->(:Overstory:Entity) } AS openie
RETURN c.id AS id, c.seq AS seq, coalesce(c.sentences, []) AS starts, coalesce(c.boilerplate, []) AS boilerplate,
  COLLECT {
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE openie OR m.by <> 'dictionary'
    RETURN [e.id, m.by, coalesce(m.sentences, [])]
  } AS mentions,
  COLLECT {
    MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.full AND a.weight >= $sure AND a.common IS NULL
    RETURN [e.id, a.weight]
  } AS about,
  COLLECT {
    MATCH (c)<-[s:STATED_IN]-(f:Overstory:Fact)
    OPTIONAL MATCH (f)-[:SUBJECT]->(subject:Overstory:Entity)
    OPTIONAL MATCH (f)-[:OBJECT]->(object:Overstory:Entity)
    WITH s, subject, object WHERE subject IS NOT NULL OR object IS NOT NULL
    RETURN [subject.id, object.id, s.by, s.sentence, s.position]
  } AS statements
ORDER BY id
