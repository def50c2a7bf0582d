// -- ingest/original_names
// Read the names as found in some chunks, before edits by hand.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, by, found STRING (JSON)
UNWIND $chunks AS id
MATCH (c:Overstory {id: id})<-[:OF]-(o:Overstory:OriginalNames)
RETURN id AS chunk, o.by AS by, o.found AS found

// -- ingest/chunks_to_extract
// Read the next page of chunks that this extractor has not read.
// Parameters: $fingerprint STRING; $after STRING (last id of the previous page, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans); ordered by id
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL AND coalesce(c.extracted, '') <> $fingerprint
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate
ORDER BY c.corpus, c.id LIMIT $limit

// -- ingest/count_to_extract
// Count the chunks that this extractor has not read. Reads every chunk.
// Parameters: $fingerprint STRING
// Rows: chunks, missing INTEGER; one row
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
WITH c.extracted AS extracted, count(*) AS n
RETURN sum(n) AS chunks, sum(CASE WHEN coalesce(extracted, '') <> $fingerprint THEN n ELSE 0 END) AS missing

// -- ingest/mark_extracted
// Write the sentence starts of chunks, and the extractor that read them. If it is not the extractor of the whole
// corpus, the corpus has none from now on.
// Parameters: $rows LIST<MAP {chunk, fingerprint STRING; sentences LIST<INTEGER>}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
FOREACH (_ IN CASE WHEN row.fingerprint <> corpus.extracted_by THEN [1] ELSE [] END | REMOVE corpus.extracted_by)
WITH row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
SET c.extracted = row.fingerprint, c.sentences = row.sentences, c:$($corpus + '_Changed')
REMOVE c:$($corpus + '_Unread')

// -- ingest/mark_languages_unread
// Mark the chunks in some languages for the extract stage after a change of its rules. Reads every chunk and commits in
// batches.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL AND c.language IN $languages
CALL (c) { SET c:$($corpus + '_Unread') REMOVE c.extracted } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/unread_chunks
// Read the next page of chunks that no extractor has read, if there are few.
// Parameters: $after STRING (last id of the previous page, or ""); $limit INTEGER
// Rows: id, title, heading, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans); ordered by id
MATCH (c:{{corpus}}_Unread:{{corpus}}_Chunk)
USING SCAN c:{{corpus}}_Unread
WHERE c.id > $after
WITH c ORDER BY c.id LIMIT $limit
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.text AS text,
  c.language AS language, coalesce(c.boilerplate, []) AS boilerplate
ORDER BY id

// -- ingest/clear_extraction
// Delete one kind of mentions and statements of chunks, and mark their entities and facts for the entities stage,
// entities also for the mentions stage.
// Parameters: $by STRING; $ids LIST<STRING> (chunks)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.touched = corpus.version + 1
WITH c
CALL (c) {
  MATCH (c)-[mention:MENTIONS {by: $by}]->(entity:Overstory:Entity)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed')
  DELETE mention
}
CALL (c) {
  MATCH (fact:Overstory:Fact)-[statement:STATED_IN {by: $by}]->(c)
  SET fact:$($corpus + '_Stale')
  DELETE statement
}

// -- ingest/write_entities
// Create missing entities, and mark all of them for the entities stage, which names them, and the mentions stage.
// Parameters: $rows LIST<MAP {id, key STRING}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key,
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.touched = corpus.version + 1
SET e:$($corpus + '_Stale'):$($corpus + '_Changed')

// -- ingest/write_facts
// Create missing facts, connect them to subject and object, and mark them for the entities stage. Then write their
// statements, which must not exist yet.
// Parameters: $by STRING; $rows LIST<MAP {id, subject, predicate, object STRING; subject_entity, object_entity STRING
//   or null (not an entity); statements LIST<MAP {chunk, quote STRING; position, sentence INTEGER; times MAP (properties)}>}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:Fact:$($corpus), f.corpus = $corpus, f.subject = row.subject, f.predicate = row.predicate,
  f.object = row.object
SET f:$($corpus + '_Stale')
WITH f, row
OPTIONAL MATCH (s:Overstory {id: row.subject_entity})
OPTIONAL MATCH (o:Overstory {id: row.object_entity})
FOREACH (_ IN CASE WHEN s IS NULL THEN [] ELSE [1] END | MERGE (f)-[:SUBJECT]->(s))
FOREACH (_ IN CASE WHEN o IS NULL THEN [] ELSE [1] END | MERGE (f)-[:OBJECT]->(o))
WITH f, row
UNWIND row.statements AS statement
MATCH (c:Overstory {id: statement.chunk})
CREATE (f)-[s:STATED_IN {by: $by, position: statement.position, sentence: statement.sentence, quote: statement.quote}]->(c)
SET s += statement.times

// -- ingest/write_mentions
// Write mentions, which must not exist yet.
// Parameters: $by STRING; $rows LIST<MAP {chunk, entity STRING; sentences LIST<INTEGER> (empty if unknown); surfaces
//   (words of the text), types LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MATCH (e:Overstory {id: row.entity})
CREATE (c)-[:MENTIONS {by: $by, count: size(row.surfaces), sentences: row.sentences, surfaces: row.surfaces,
  types: row.types}]->(e)
