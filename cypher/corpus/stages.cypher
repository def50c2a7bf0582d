// -- corpus/kept_counts
// How much of what a corpus has, and how much the stages have to do. From the counts that the server keeps.
// Parameters: none
// Rows: documents, chunks, vectors, entities INTEGER; links (between stored documents), unresolved (links to others)
//   INTEGER; unembedded, unread (chunks), stale (entities and facts to link), renamed (chunks in which names are to be
//   edited) INTEGER; changed (chunks and entities, since names were looked for) INTEGER;
//   boilerplate_only, boilerplate (chunks), boilerplate_stale (folders and documents to look at) INTEGER; one
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
// How fast a stage was lately, in all corpora of the database: its last runs that were long enough to measure.
// Parameters: $name, $fingerprint STRING; $limit INTEGER
// Rows: units INTEGER, seconds FLOAT; the latest first
MATCH (corpus:Overstory:Corpus)<-[:OF]-(stage:Stage:Overstory)
WHERE stage.name = $name AND stage.measured_by = $fingerprint
RETURN stage.measured_units AS units, stage.measured_seconds AS seconds ORDER BY stage.measured DESC LIMIT $limit

// -- corpus/read_stages
// The ledger of a corpus.
// Parameters: none
// Rows: stage MAP (the properties); ordered by start
MATCH (:Overstory {id: $corpus})<-[:OF]-(stage:Overstory:Stage)
RETURN properties(stage) AS stage ORDER BY stage.started, stage.name

// -- corpus/remove_stage
// Takes a line out of the ledger.
// Parameters: $id STRING
// Rows: none
MATCH (stage:Overstory {id: $id}) WHERE stage:Stage AND stage.corpus = $corpus
DETACH DELETE stage

// -- corpus/write_stage
// Writes a line of the ledger, unless the lease went to somebody else.
// Parameters: $token, $id, $name, $properties MAP
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus}) WHERE corpus.writer_token = $token
MERGE (stage:Overstory {id: $id})
ON CREATE SET stage:Stage:$($corpus), stage.corpus = $corpus, stage.name = $name
SET stage += $properties, stage.writer_token = $token
MERGE (stage)-[:OF]->(corpus)

// -- corpus/counts
// How much of what a corpus holds. Chunks of a document that is not written to its end are not counted. What the dictionary
// finds again of the names is not counted as mentions; for that, it looks at every name. After a deletion the names are
// behind until the next index, and so may be what is subtracted.
// Parameters: none
// Rows: documents, chunks, entities, facts, mentions INTEGER; one
OPTIONAL MATCH (corpus:Overstory:Corpus {id: $corpus}) // one that was just deleted has no node
OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
WITH CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS unfinished,
  COUNT { (:{{corpus}}_Chunk)-[:MENTIONS]->() } AS all
OPTIONAL MATCH (e:{{corpus}}_Entity)
WITH unfinished, all, count(e) AS entities, sum(e.said_in) AS again
RETURN COUNT { (:{{corpus}}_Document) } AS documents, COUNT { (:{{corpus}}_Chunk) } - unfinished AS chunks, entities,
  COUNT { (:Fact:{{corpus}}) } AS facts, CASE WHEN all > again THEN all - again ELSE 0 END AS mentions
