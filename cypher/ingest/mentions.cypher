// -- ingest/change_dictionary_mentions
// Update the positions of dictionary mentions, and mark the entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING; surfaces LIST<STRING>; sentences LIST<INTEGER>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory {id: row.entity})
SET m.count = size(row.surfaces), m.surfaces = row.surfaces, m.sentences = row.sentences, e:$($corpus + '_Changed')

// -- ingest/changed_chunk_ids
// Read the ids of chunks for the mentions stage.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one row
MATCH (c:{{corpus}}_Changed:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN collect(c.id) AS ids

// -- ingest/changed_chunks
// Read changed chunks, with the results of the mentions stage for them.
// Parameters: $ids LIST<STRING>; $sure FLOAT (minimum weight of subjects); $kinds LIST<STRING> (kinds of mentions that
//   count as parsed)
// Rows: id, text STRING; language STRING or null; boilerplate LIST<INTEGER> (spans); sentences LIST<INTEGER> (first
//   characters); subjects LIST<STRING> (keys of entities the chunk is about); mentions LIST<LIST> (key, surfaces and
//   sentences of each dictionary mention); parsed LIST<STRING> (keys of entities that a parser found);
//   same LIST<STRING> or null (names of the document, each followed by the name that it stands for)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.text AS text, c.language AS language, coalesce(c.boilerplate, []) AS boilerplate, coalesce(c.sentences, [0]) AS sentences,
  [(c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.weight >= $sure | e.key] AS subjects,
  [(c)-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity) | [e.key, m.surfaces, m.sentences]] AS mentions,
  [(c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN $kinds | e.key] AS parsed,
  head([(c)-[:PART_OF]->(d:Overstory:Document) | d.same_names]) AS same

// -- ingest/changed_entities
// Read the entities that the mentions stage changed.
// Parameters: $ids LIST<STRING>; $kinds LIST<STRING> (kinds of mentions whose types count); $never, $commands
//   LIST<STRING> (types that are never searched for; types that are not searched for if the name is a word)
// Rows: entities LIST<MAP {id, key STRING; df INTEGER (chunks with a dictionary mention); subject BOOLEAN (a chunk is
//   about it); held BOOLEAN (mentions or ABOUT are left); linked BOOLEAN (the entities stage names it); found,
//   found_word BOOLEAN (has a type that is searched for; also if it is a word); surfaces LIST<LIST> (spelling and
//   frequency), about_types LIST<LIST> (type in headings and definitions, and frequency; both lists are empty if
//   linked); common BOOLEAN (only about chunks as a common word)}>; one row
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, coalesce(e.said_in, 0) AS df, EXISTS { (e)-[:ABOUT]->(:Overstory) } AS subject,
  EXISTS { (e)-[a:ABOUT]->(:Overstory) WHERE a.common IS NULL } AS plain,
  EXISTS { (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by <> 'dictionary' } AS linked,
  EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN $never)
  } AS found
CALL (e, linked) {
  WITH e WHERE NOT linked
  MATCH (e)-[a:ABOUT]->(:Overstory) WHERE a.type IS NOT NULL
  WITH a.type AS type, count(*) AS n
  RETURN collect([type, n]) AS about_types
}
CALL (e, linked) {
  WITH e WHERE NOT linked
  CALL (e) {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(:Overstory)
    UNWIND m.surfaces AS surface
    RETURN surface
    UNION ALL
    MATCH (e)-[a:ABOUT]->(:Overstory) WHERE a.surface IS NOT NULL
    RETURN a.surface AS surface
  }
  WITH surface, count(*) AS n
  RETURN collect([surface, n]) AS surfaces
}
WITH e, df, subject, plain, linked, found, about_types, surfaces,
  found AND EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory)
    WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN $never AND NOT type IN $commands)
  } AS found_word
RETURN collect({id: e.id, key: e.key, df: df, subject: subject, held: linked OR subject OR df > 0, linked: linked,
  found: found, found_word: found_word, about_types: about_types, common: subject AND NOT plain, surfaces: surfaces
}) AS entities

// -- ingest/changed_entity_ids
// Read the ids of entities that the mentions stage changed.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one row
MATCH (e:{{corpus}}_Changed:Entity)
WITH e LIMIT $limit
RETURN collect(e.id) AS ids

// -- ingest/finish_chunks
// Write the words with which a name can begin in chunks, and remove the mark of the mentions stage.
// Parameters: $rows LIST<MAP {chunk STRING; starts LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
SET c.name_starts = row.starts
REMOVE c:$($corpus + '_Changed')

// -- ingest/mark_about
// Mark the chunks that are about some entities by their own text for the mentions stage.
// Parameters: $ids LIST<STRING> (entities); $own LIST<STRING> (values of ABOUT.source that come from the chunk itself)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.source IN $own
SET c:$($corpus + '_Changed')

// -- ingest/mark_mentioning
// Mark the chunks with dictionary mentions of some entities for the mentions stage.
// Parameters: $ids LIST<STRING> (entities)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)
SET c:$($corpus + '_Changed')

// -- ingest/remove_about
// Delete ABOUT relationships, and mark both ends for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity})-[a:ABOUT]->(c:Overstory {id: row.chunk})
SET c:$($corpus + '_Changed'), e:$($corpus + '_Changed')
DELETE a

// -- ingest/remove_dictionary_mentions
// Delete dictionary mentions, and mark their entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory {id: row.entity})
SET e:$($corpus + '_Changed'), e.said_in = e.said_in - 1
DELETE m

// -- ingest/remove_original_names
// Delete the names as found before edits, if no edit concerns the chunk any more.
// Parameters: $by STRING; $ids LIST<STRING> (chunks)
// Rows: none
UNWIND $ids AS id
MATCH (o:Overstory {id: id + ' ' + $by}) WHERE o:OriginalNames AND o.corpus = $corpus
DETACH DELETE o

// -- ingest/sync_names
// Write dictionary frequency and subject mark of entities, name the entities that the entities stage does not name, and
// remove the mark of the mentions stage.
// Parameters: $rows LIST<MAP {id STRING; df INTEGER or null (not searched for); subject BOOLEAN or null (false); common
//   BOOLEAN or null (searched for in all texts); name, type STRING or null (unchanged); aliases LIST<STRING> or null
//   (unchanged)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
SET e.dictionary_df = row.df, e.subject = row.subject, e.common = row.common,
  e.name = coalesce(row.name, e.name), e.type = coalesce(row.type, e.type),
  e.aliases = coalesce(row.aliases, e.aliases),
  e.touched = corpus.version + 1
REMOVE e:$($corpus + '_Changed')
WITH e, row WHERE row.type IS NOT NULL // type from a vocabulary, the form or a definition
REMOVE e:PersonName:OrganisationName:PlaceName:WorkName:TechnicalName
SET e:$(CASE
  WHEN row.type = 'PERSON' THEN ['PersonName']
  WHEN row.type IN ['ORG', 'NORP'] THEN ['OrganisationName']
  WHEN row.type IN ['GPE', 'LOC', 'FAC'] THEN ['PlaceName']
  WHEN row.type IN ['WORK_OF_ART', 'PRODUCT', 'LAW'] THEN ['WorkName']
  WHEN row.type IN ['CODE', 'OPTION', 'COMMAND', 'FILE', 'PACKAGE', 'TERM'] THEN ['TechnicalName']
  ELSE []
END)

// -- ingest/write_about
// Write ABOUT relationships, and mark both ends for the mentions stage. A missing entity is created without a type.
// Parameters: $rows LIST<MAP {chunk, entity, key STRING; about MAP {weight FLOAT, source STRING,
//   full BOOLEAN, surface, type STRING or null, common BOOLEAN or null}}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MERGE (e:Overstory {id: row.entity})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key, e.type = '', e.aliases = [],
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.df = 0, e.touched = corpus.version + 1
MERGE (e)-[a:ABOUT]->(c)
SET a = row.about, c:$($corpus + '_Changed'), e:$($corpus + '_Changed')

// -- ingest/write_dictionary_mentions
// Write dictionary mentions, which must not exist yet, and mark their entities for the mentions stage.
// Parameters: $rows LIST<MAP {chunk, entity STRING; surfaces LIST<STRING>; sentences LIST<INTEGER>}>; both lists are
//   empty if the chunk is about the entity without naming it
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MATCH (e:Overstory {id: row.entity})
CREATE (c)-[:MENTIONS {by: 'dictionary', count: size(row.surfaces), surfaces: row.surfaces, sentences: row.sentences}]->(e)
SET e.said_in = coalesce(e.said_in, 0) + 1, e:$($corpus + '_Changed')

// -- ingest/write_original_names
// Store the names as found before edits by hand, replacing earlier ones.
// Parameters: $by STRING; $rows LIST<MAP {chunk, found STRING (JSON); keys LIST<STRING> (of the edited names)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MERGE (o:Overstory {id: row.chunk + ' ' + $by})
ON CREATE SET o:OriginalNames:$($corpus):$($corpus + '_OriginalNames'):OfChunk, o.corpus = $corpus, o.by = $by
SET o.keys = row.keys, o.found = row.found
MERGE (o)-[:OF]->(c)

// -- ingest/write_vocabulary_entities
// Create missing entities of vocabularies, without a type.
// Parameters: $rows LIST<MAP {id, key STRING}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key, e.type = '', e.aliases = [],
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.df = 0, e.touched = corpus.version + 1
