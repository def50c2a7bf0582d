// -- ingest/mark_all_changed
// Mark every chunk and entity for the mentions stage. Commits in batches.
// Parameters: none
// Rows: none
MATCH (n:{{corpus}}) WHERE (n:Overstory:Chunk OR n:Entity) AND NOT n:{{corpus}}_Changed
CALL (n) { SET n:{{corpus}}_Changed } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/mark_edited_entities
// Mark entities whose names were edited for the mentions stage, and for the entities stage if it names them.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
SET e:$($corpus + '_Changed')
WITH e WHERE EXISTS { (e)<-[m:MENTIONS]-(:Overstory:Chunk) WHERE m.by <> 'dictionary' }
SET e:$($corpus + '_Stale')

// -- ingest/mark_edited_mentions
// Mark chunks in which a parser or annotation found some entities, so that the entities stage applies the edits.
// Commits in batches.
// Parameters: $ids LIST<STRING> (entities)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE e:Entity AND e.corpus = $corpus AND m.by <> 'dictionary'
CALL (c) { SET c:$($corpus + '_Renamed') } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/mark_original_names
// Mark chunks with edited names that had some names before the edits: for the entities stage, or for the mentions stage
// if the chunk is about such a name. Commits in batches.
// Parameters: $keys LIST<STRING>
// Rows: none
MATCH (o:{{corpus}}_OriginalNames)-[:OF]->(c:{{corpus}}_Chunk) WHERE any(key IN o.keys WHERE key IN $keys)
CALL (o, c) {
  FOREACH (_ IN CASE WHEN o.by = 'about' THEN [1] ELSE [] END | SET c:{{corpus}}_Changed)
  FOREACH (_ IN CASE WHEN o.by = 'about' THEN [] ELSE [1] END | SET c:{{corpus}}_Renamed)
} IN TRANSACTIONS OF 10000 ROWS

// -- ingest/mark_starting
// Mark the chunks in which some names may begin for the mentions stage.
// Parameters: $query STRING (Lucene: the first words, each in quotes)
// Rows: none
CALL db.index.fulltext.queryNodes('overstory_name_starts', '+corpus:' + $corpus + ' +name_starts:(' + $query + ')')
YIELD node AS c
SET c:$($corpus + '_Changed')

// -- ingest/changed_names
// List the names that changed since the mentions stage last ran.
// Parameters: none
// Rows: key STRING
MATCH (e:{{corpus}}_Changed:Entity)
RETURN e.key AS key

// -- ingest/changed_passages
// Read all chunks of every document with a changed chunk.
// Parameters: $by STRING ("" to read the texts; otherwise a kind of mentions, to read the names that it found)
// Rows: document, id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (spans); only
//   BOOLEAN (boilerplate alone); same LIST<STRING> (names of the document, each followed by the name that it stands
//   for); names LIST<LIST> (key, spellings, types and sentences of each mention); original STRING or null (JSON: what
//   was found before edits); grouped by document, in reading order
MATCH (:{{corpus}}_Changed:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WITH DISTINCT d
CALL (d) {
  MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
  RETURN c ORDER BY c.seq
}
RETURN d.id AS document, c.id AS id, c.title AS title, c.heading AS heading,
  CASE $by WHEN '' THEN c.text ELSE '' END AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate, c:{{corpus}}_BoilerplateOnly AS only,
  coalesce(d.same_names, []) AS same,
  [(c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by = $by | [e.key, m.surfaces, m.types, m.sentences]] AS names,
  head([(c)<-[:OF]-(o:Overstory:OriginalNames) WHERE o.by = $by | o.found]) AS original

// -- ingest/dictionary_names
// Select the names that the mentions stage last searched for in all texts.
// Parameters: $ids LIST<STRING> (entities)
// Rows: key STRING; subject BOOLEAN (a chunk was about it)
UNWIND $ids AS id
MATCH (e:Overstory {id: id})
WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false)
RETURN e.key AS key, coalesce(e.subject, false) AS subject

// -- ingest/known_names
// List the names that the mentions stage last searched for.
// Parameters: none
// Rows: key STRING; subject BOOLEAN (a chunk was about it)
MATCH (e:Entity:{{corpus}}) WHERE e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false)
RETURN e.key AS key, coalesce(e.subject, false) AS subject

// -- ingest/name_states
// Read the state of existing names: the last result of the mentions stage, and the chunks, except some, that are about
// them by their own text.
// Parameters: $rows LIST<MAP {id STRING; except LIST<STRING> or null (types for which the name is not searched for;
//   null if it never is)}>; $chunks LIST<STRING> (ids of chunks to leave out); $own LIST<STRING> (values of
//   ABOUT.source that come from the chunk itself); $kinds LIST<STRING> (kinds of mentions that find names)
// Rows: key STRING; known, known_subject BOOLEAN (was searched for in all texts; a chunk was about it); named, lead,
//   plain BOOLEAN (a chunk is about it; by its full name; not as a common word); parsed BOOLEAN (a mention has a type
//   that is searched for)
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
RETURN e.key AS key, e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false) AS known,
  coalesce(e.subject, false) AS known_subject,
  EXISTS { (e)-[a:ABOUT]->(c:Overstory) WHERE a.source IN $own AND NOT c.id IN $chunks } AS named,
  EXISTS { (e)-[a:ABOUT]->(c:Overstory) WHERE a.full AND a.source IN $own AND NOT c.id IN $chunks } AS lead,
  EXISTS {
    (e)-[a:ABOUT]->(c:Overstory) WHERE a.common IS NULL AND a.source IN $own AND NOT c.id IN $chunks
  } AS plain,
  row.except IS NOT NULL AND EXISTS {
    (e)<-[m:MENTIONS]-(:Overstory) WHERE m.by IN $kinds AND any(type IN m.types WHERE NOT type IN row.except)
  } AS parsed

// -- ingest/names_beginning
// Find names of two words or more with a given beginning. A name may occur more than once.
// Parameters: $rows LIST<MAP {start STRING (beginning of the name), within STRING (contained in the name after a
//   space); least, most INTEGER (characters)}>
// Rows: key STRING
UNWIND $rows AS row
MATCH (e:Overstory {corpus: $corpus})
USING INDEX SEEK e:Overstory(corpus, key, backwards)
WHERE e.key STARTS WITH row.start AND e.backwards IS NOT NULL
  AND row.least <= size(e.key) <= row.most AND ' ' + e.key CONTAINS row.within
RETURN e.key AS key

// -- ingest/names_ending
// Find names of two words or more with a given ending. A name may occur more than once.
// Parameters: $rows LIST<MAP {start STRING (end of the name, reversed), within STRING (contained in the reversed name
//   after a space); least, most INTEGER (characters)}>
// Rows: key STRING
UNWIND $rows AS row
MATCH (e:Overstory {corpus: $corpus})
USING INDEX SEEK e:Overstory(corpus, backwards)
WHERE e.backwards STARTS WITH row.start
  AND row.least <= size(e.backwards) <= row.most AND reverse(e.backwards + ' ') CONTAINS row.within
RETURN reverse(e.backwards) AS key

// -- ingest/original_subjects_of
// Read the subjects of some chunks by their own text, before edits by hand.
// Parameters: $ids LIST<STRING>
// Rows: chunk, found STRING (JSON)
UNWIND $ids AS id
MATCH (c:Overstory {id: id})<-[:OF]-(o:Overstory:OriginalNames {by: 'about'})
RETURN c.id AS chunk, o.found AS found

// -- ingest/other_about
// Find the chunks that are about some entities through other names of their own subjects.
// Parameters: $ids LIST<STRING> (entities); $chunks LIST<STRING> (ids of chunks to leave out); $own LIST<STRING>
//   (values of ABOUT.source that come from the chunk itself)
// Rows: as in ingest/stored_about_of
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[a:ABOUT]->(c:Overstory:Chunk)
WHERE e:Entity AND e.corpus = $corpus AND NOT a.source IN $own AND NOT c.id IN $chunks
RETURN c.id AS chunk, e.key AS key, a.weight AS weight, coalesce(a.source, '') AS source,
  coalesce(a.full, false) AS full, coalesce(a.surface, '') AS surface, coalesce(a.type, '') AS type,
  coalesce(a.common, false) AS common

// -- ingest/passage_names
// Read the next page of chunks with their subjects and the names that some kinds of mentions found.
// Parameters: $kinds LIST<STRING>; $after STRING (last id of the previous page, or ""); $limit INTEGER
// Rows: id STRING; about LIST<LIST> (key of the entity, weight, source, whether by its full name, surface, type or "",
//   whether as a common word); original STRING or null (JSON: subjects before edits by hand); parsed LIST<LIST> (key of
//   the entity, types); ordered by id
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
WITH c ORDER BY c.corpus, c.id LIMIT $limit
RETURN c.id AS id,
  [(c)<-[a:ABOUT]-(e:Overstory:Entity) | [
    e.key, a.weight, coalesce(a.source, ''), coalesce(a.full, false), coalesce(a.surface, ''), coalesce(a.type, ''),
    coalesce(a.common, false)
  ]] AS about,
  head([(c)<-[:OF]-(o:Overstory:OriginalNames {by: 'about'}) | o.found]) AS original,
  [(c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN $kinds | [e.key, m.types]] AS parsed
ORDER BY c.corpus, id

// -- ingest/passages_of_leads
// Find the chunks that are about an entity by its full name, but not about another given entity by their own text.
// Parameters: $rows LIST<MAP {lead, other STRING (ids of entities; the other may not exist); key STRING (of the
//   other)}>; $chunks LIST<STRING> (ids of chunks to leave out); $own LIST<STRING> (values of ABOUT.source that come
//   from the chunk itself)
// Rows: chunk, key STRING
UNWIND $rows AS row
MATCH (lead:Overstory {id: row.lead})-[a:ABOUT]->(c:Overstory:Chunk)
WHERE a.full AND a.source IN $own AND NOT c.id IN $chunks
  AND NOT EXISTS { (:Overstory {id: row.other})-[o:ABOUT]->(c) WHERE o.source IN $own }
RETURN DISTINCT c.id AS chunk, row.key AS key

// -- ingest/stored_about_of
// Read the subjects of some chunks.
// Parameters: $ids LIST<STRING>
// Rows: chunk, key (of the entity), source, surface, type ("" if unknown) STRING; weight FLOAT; full, common BOOLEAN
UNWIND $ids AS id
MATCH (c:Overstory {id: id})<-[a:ABOUT]-(e:Overstory:Entity)
RETURN c.id AS chunk, e.key AS key, a.weight AS weight, coalesce(a.source, '') AS source,
  coalesce(a.full, false) AS full, coalesce(a.surface, '') AS surface, coalesce(a.type, '') AS type,
  coalesce(a.common, false) AS common
