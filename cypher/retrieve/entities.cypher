// -- retrieve/fact_sentences
// Read the sentences that state some facts, each in one passage. $asked is a map, because the server plans a statement
// again for each order of magnitude of a list.
// Parameters: $asked MAP {facts LIST<LIST<STRING>> (ids of a fact, and of a chunk that states it)}
// Rows: fact, sentence STRING (the first in the passage that dates the fact, or else the first); times MAP (properties of
//   its statement)
UNWIND $asked.facts AS one
MATCH (f:Overstory {id: one[0]}) WHERE f:Fact AND f.corpus = $corpus
MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk {id: one[1]})
WITH f, s ORDER BY s.time_words IS NULL, s.position
WITH f, head(collect(s)) AS s
RETURN f.id AS fact, s.quote AS sentence,
  s {.holds_from, .holds_from_precision, .holds_to, .holds_to_precision, .said_at, .said_at_precision, .ended,
    .time_words} AS times

// -- retrieve/name_facts
// Read one entity with its facts and the entities that facts connect it to.
// Parameters: $id STRING (of the entity); $looked_at INTEGER (facts and connections to read); $limit INTEGER (facts and
//   entities to return: facts by number of passages, entities by number of connecting statements)
// Rows: type STRING; aliases LIST<STRING>; held INTEGER (facts; a fact with the entity at both ends counts twice);
//   facts LIST<MAP {subject, predicate, object, sentence, chunk STRING; times MAP (properties of the statement);
//   passages INTEGER}>; related LIST<MAP {name, type STRING; predicates LIST<STRING>; statements INTEGER}>; types
//   LIST<STRING>, votes LIST<INTEGER> (how often parsers gave each type to its mentions); one row, or none for an
//   unknown entity
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
RETURN coalesce(x.type, '') AS type, coalesce(x.aliases, []) AS aliases,
  coalesce(x.types, []) AS types, coalesce(x.votes, []) AS votes,
  COUNT { (x)<-[:SUBJECT]-() } + COUNT { (x)<-[:OBJECT]-() } AS held,
  COLLECT {
    MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
    WITH f LIMIT $looked_at
    WITH DISTINCT f
    WITH f, COUNT { (f)-[:STATED_IN]->() } AS passages ORDER BY passages DESC, f.id LIMIT $limit
    CALL (f) {
      MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk)
      RETURN s, c.id AS chunk ORDER BY s.time_words IS NULL, c.id, s.position LIMIT 1
    }
    RETURN {subject: f.subject, predicate: f.predicate, object: f.object, sentence: s.quote, chunk: chunk,
      times: s {.holds_from, .holds_from_precision, .holds_to, .holds_to_precision, .said_at, .said_at_precision, .ended,
        .time_words}, passages: passages}
  } AS facts,
  COLLECT {
    MATCH (x)-[r:RELATED]-(other:Overstory:Entity)
    WITH x, r, other LIMIT $looked_at
    WITH x, r, other WHERE other <> x ORDER BY r.weight DESC, r.predicate
    WITH other, sum(r.weight) AS statements, collect(DISTINCT r.predicate) AS predicates
    ORDER BY statements DESC, other.name, other.id LIMIT $limit
    RETURN {name: other.name, type: coalesce(other.type, ''), predicates: predicates, statements: statements}
  } AS related

// -- retrieve/name_facts_among
// Read one entity under a filter: its spellings in documents, and its facts with the documents that state them.
// Parameters: $id STRING (of the entity); $looked_at INTEGER (facts to read); $most INTEGER (passages of the entity,
//   and statements of its facts, to read); $as_of DATE or null (leave out what was said, or began, later)
// Rows: type STRING; held INTEGER (facts; a fact with the entity at both ends counts twice); written LIST<LIST> (id of
//   a document; spellings in one of its passages, one per mention); titled LIST<LIST<STRING>> (id of a document;
//   spelling in its title, heading or definition); facts LIST<MAP {id, subject, predicate, object STRING; ends LIST<MAP
//   {id, type, text STRING}> (its other entities)}>; stated LIST<LIST<STRING>> (ids of a fact, a chunk that states it
//   and the chunk's document); one row, or none for an unknown entity
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
CALL (x) {
  MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
  WITH f LIMIT $looked_at
  RETURN collect(DISTINCT f) AS known
}
RETURN coalesce(x.type, '') AS type,
  COUNT { (x)<-[:SUBJECT]-() } + COUNT { (x)<-[:OBJECT]-() } AS held,
  COLLECT {
    MATCH (x)<-[m:MENTIONS]-(c:Overstory:Chunk)
    WITH m, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [d.id, coalesce(m.surfaces, [])]
  } AS written,
  COLLECT {
    MATCH (x)-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.surface IS NOT NULL
    WITH a, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [d.id, a.surface]
  } AS titled,
  [f IN known | {id: f.id, subject: f.subject, predicate: f.predicate, object: f.object,
    ends: [(f)-[r:SUBJECT|OBJECT]->(e:Overstory:Entity) WHERE e <> x |
      {id: e.id, type: coalesce(e.type, ''), text: CASE type(r) WHEN 'SUBJECT' THEN f.subject ELSE f.object END}]}
  ] AS facts,
  COLLECT {
    UNWIND known AS f
    MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk)
    WHERE $as_of IS NULL OR coalesce(s.holds_from <= $as_of, true) AND coalesce(s.said_at <= $as_of, true)
    WITH DISTINCT f, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [f.id, c.id, d.id]
  } AS stated

// -- retrieve/entity_passages
// Read the next page of the passages that mention an entity or are about it.
// Parameters: $id STRING (of the entity); $most INTEGER (passages to read); $own LIST<STRING> (values of ABOUT.source
//   that come from the passage itself); $skip, $limit INTEGER
// Rows: chunk STRING (id); by title of the passage, then in document order
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk) WHERE type(m) = 'MENTIONS' OR m.source IN $own
WITH DISTINCT c LIMIT $most
RETURN c.id AS chunk ORDER BY c.title, c.seq, c.id SKIP $skip LIMIT $limit

// -- retrieve/mentioned_among
// Select the entities that some documents mention. For very frequent entities, only some of the passages and documents
// are checked.
// Parameters: $ids LIST<STRING> (entities); $documents LIST<STRING> (ids); $looked_at INTEGER (passages per entity);
//   $documents_looked_at INTEGER; $own LIST<STRING> (values of ABOUT.source that come from the passage itself)
// Rows: ids LIST<STRING>; one row
UNWIND $ids AS id
MATCH (e:Overstory {id: id, corpus: $corpus})
WHERE EXISTS {
  MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
  WITH c LIMIT $looked_at
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH d WHERE d.id IN $documents // after a WITH; otherwise the plan starts at all of these documents
  RETURN d
} OR EXISTS {
  MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)
  WITH a, c LIMIT $looked_at
  MATCH (c)-[:PART_OF]->(d:Overstory:Document)
  WITH a, d WHERE a.source IN $own AND d.id IN $documents
  RETURN d
} OR COUNT { (e)<-[:MENTIONS]-() } > $looked_at AND EXISTS {
  UNWIND $documents[..$documents_looked_at] AS document
  MATCH (:Overstory {id: document})<-[:PART_OF]-(c:Overstory:Chunk)
  WITH c
  MATCH (c)-[:MENTIONS]->(e)
  RETURN c
}
RETURN collect(e.id) AS ids

// -- retrieve/short_names
// Look up names that are no entities, but that documents use for exactly one entity.
// Parameters: $rows LIST<MAP {key, id STRING (of the entity with this key)}>
// Rows: key, name STRING (key of the entity that it stands for)
UNWIND $rows AS row
MATCH (n:Overstory {corpus: $corpus, key: row.key})
USING INDEX SEEK n:Overstory(corpus, key, backwards)
WHERE n.backwards IS NOT NULL AND n:ShortName
MATCH (n)-[:OF]->(e:Overstory:Entity)
WITH row, collect(DISTINCT e.key) AS keys
WHERE size(keys) = 1 AND NOT EXISTS { MATCH (x:Overstory {id: row.id}) WHERE x:Entity }
RETURN row.key AS key, keys[0] AS name

// -- retrieve/question_entities
// Look up entities by id, and check whether the name index is up to date.
// Parameters: $ids, $terms LIST<STRING> (of entities; $terms count only if a chunk defines them or has them as
//   heading); $dictionary BOOLEAN (only entities that the dictionary has); $looked_at INTEGER (chunks about an entity)
// Rows: changed INTEGER (nodes that wait for the mentions stage); entities LIST<LIST> (id, key, name; dictionary
//   frequency, 0 if not in the dictionary; whether a chunk is about it; whether a chunk defines it); one row
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $ids + $terms AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND (e.dictionary_df IS NOT NULL OR NOT $dictionary)
  WITH DISTINCT e, e.subject AND EXISTS {
    MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)
    WITH a LIMIT $looked_at
    WITH a WHERE a.source IN ['definition', 'heading']
    RETURN a
  } AS term
  WHERE term OR e.id IN $ids
  RETURN collect([e.id, e.key, e.name, coalesce(e.dictionary_df, 0), coalesce(e.subject, false), coalesce(term, false)])
    AS entities
}
RETURN coalesce(corpus.changed, 0) AS changed, entities
