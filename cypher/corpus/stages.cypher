// -- corpus/kept_counts
// Count the contents of the corpus and the work left for the stages, from the server's own counts.
// Parameters: none
// Rows: documents, chunks, vectors, entities INTEGER; links (between stored documents), unresolved (links to missing
//   documents) INTEGER; unembedded, unread (chunks), stale (entities and facts to link), renamed (chunks whose names
//   must be edited) INTEGER; changed (chunks and entities for the mentions stage) INTEGER; boilerplate_only,
//   boilerplate (chunks), boilerplate_stale (folders and documents to check) INTEGER; one row
WITH COUNT { (:{{corpus}}_Document)-[:LINKS]->() } AS every_link,
  COUNT { (:{{corpus}}_MissingDocument)<-[:LINKS]-() } AS unresolved
RETURN COUNT { (:{{corpus}}_Document) } AS documents,
  COUNT { (:{{corpus}}_Chunk) } AS chunks,
  COUNT { (:{{corpus}}_PassageVector) } AS vectors,
  COUNT { (:{{corpus}}_Entity) } AS entities,
  every_link - unresolved AS links,
  unresolved,
  COUNT { (:{{corpus}}_Unembedded) } AS unembedded,
  COUNT { (:{{corpus}}_Unread) } AS unread,
  COUNT { (:{{corpus}}_Stale) } AS stale,
  COUNT { (:{{corpus}}_Renamed) } AS renamed,
  COUNT { (:{{corpus}}_Changed) } AS changed,
  COUNT { (:{{corpus}}_BoilerplateOnly) } AS boilerplate_only,
  COUNT { (:{{corpus}}_Boilerplate) } AS boilerplate,
  COUNT { (:{{corpus}}_BoilerplateStale) } AS boilerplate_stale

// -- corpus/stage_speeds
// Read the speed of a stage from its last measured runs, in all corpora of the database.
// Parameters: $name, $fingerprint STRING; $limit INTEGER
// Rows: units INTEGER; seconds FLOAT; latest first
MATCH (corpus:Overstory:Corpus)<-[:OF]-(stage:Stage:Overstory)
WHERE stage.name = $name AND stage.measured_by = $fingerprint
RETURN stage.measured_units AS units, stage.measured_seconds AS seconds ORDER BY stage.measured DESC LIMIT $limit

// -- corpus/read_stages
// Read the ledger of the corpus: the last run of each stage.
// Parameters: none
// Rows: stage MAP (the properties); ordered by start
MATCH (:Overstory {id: $corpus})<-[:OF]-(stage:Overstory:Stage)
RETURN properties(stage) AS stage ORDER BY stage.started, stage.name

// -- corpus/remove_stage
// Delete an entry of the ledger.
// Parameters: $id STRING
// Rows: none
MATCH (stage:Overstory {id: $id}) WHERE stage:Stage AND stage.corpus = $corpus
DETACH DELETE stage

// -- corpus/write_stage
// Write an entry of the ledger, unless another writer has the lease.
// Parameters: $token, $id, $name, $properties MAP
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
MERGE (stage:Overstory {id: $id})
ON CREATE SET stage:Stage:$($corpus), stage.corpus = $corpus, stage.name = $name
SET stage += $properties, stage.writer_token = $token
MERGE (stage)-[:OF]->(corpus)

// -- corpus/counts
// Count the contents of the corpus, without chunks of an unfinished document and without mentions that only the
// dictionary found. After a deletion, counts of mentions may be outdated until the next index.
// Parameters: none
// Rows: documents, chunks, entities, facts, mentions INTEGER; one row
OPTIONAL MATCH (corpus:Overstory:Corpus {id: $corpus}) // a deleted corpus has no node
OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
WITH CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS unfinished,
  COUNT { (:{{corpus}}_Chunk)-[:MENTIONS]->() } AS all
OPTIONAL MATCH (e:{{corpus}}_Entity)
WITH unfinished, all, count(e) AS entities, sum(e.said_in) AS again
RETURN COUNT { (:{{corpus}}_Document) } AS documents, COUNT { (:{{corpus}}_Chunk) } - unfinished AS chunks, entities,
  COUNT { (:Fact:{{corpus}}) } AS facts, CASE WHEN all > again THEN all - again ELSE 0 END AS mentions
