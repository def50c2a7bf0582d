// -- schema/index_state
// Read the state of an index.
// Parameters: $name STRING
// Rows: state STRING ("ONLINE", "POPULATING", "FAILED"); percent FLOAT (populated); dimension INTEGER or null; one row,
//   or none if there is no such index
SHOW INDEXES YIELD name, state, populationPercent, options WHERE name = $name
RETURN state, populationPercent AS percent, options.indexConfig['vector.dimensions'] AS dimension

// -- schema/apr_entity_index
// Create the index of AutoPrunedRetriever's entities by corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_apr_entities IF NOT EXISTS FOR (s:AprEntity) ON (s.corpus)

// -- schema/await_index
// Wait until an index is online.
// Parameters: $name STRING; $seconds INTEGER
// Rows: none
CALL db.awaitIndex($name, $seconds)

// -- schema/chunk_page_index
// Create the index by which stages page through the chunks of a corpus. All corpora share it, because every schema
// change makes the server forget its plans. It holds only chunks, because only they have token_count. Statements must
// name it (INDEX SEEK) and order by corpus and id; otherwise the planner reads it from the beginning or sorts again.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_chunk_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.token_count)

// -- schema/count_kind
// Count the nodes with a label, from the server's counts.
// Parameters: none
// Rows: nodes INTEGER; one row
MATCH (n:{{label}}) RETURN count(n) AS nodes

// -- schema/document_key_index
// Create the index of documents by corpus and source key.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_keys IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source_key)

// -- schema/document_page_index
// Create the index by which documents of a corpus are exported and counted. It holds only documents, because only they
// have sha256.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.sha256)

// -- schema/document_source_index
// Create the index by which documents are listed, and found by source or folder. It holds only documents, because only
// they have source_key.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_sources IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source, n.source_key)

// -- schema/drop_index
// Drop an index, if it exists.
// Parameters: $name STRING
// Rows: none
DROP INDEX $name IF EXISTS

// -- schema/hirag_entity_index
// Create the index of HiRAG's entities by corpus and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_hirag_entities IF NOT EXISTS FOR (e:HiragEntity) ON (e.corpus, e.generation)

// -- schema/id_constraint
// Make ids of Overstory's nodes unique. Every MERGE uses this look-up.
// Parameters: none
// Rows: none
CREATE CONSTRAINT overstory_id IF NOT EXISTS FOR (n:Overstory) REQUIRE n.id IS UNIQUE

// -- schema/index_names
// List all indexes that Overstory created.
// Parameters: none
// Rows: name STRING, type STRING, state STRING
SHOW INDEXES YIELD name, type, state WHERE name STARTS WITH 'overstory_'
RETURN name, type, state ORDER BY name

// -- schema/name_end_index
// Create the index of names of two words or more by their ends: `backwards` is the reversed key of an entity.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_name_ends IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.backwards)

// -- schema/name_index
// Create the index of names of two words or more by their beginnings. It holds only these names, because only they have
// `backwards`.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_names IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.backwards)

// -- schema/name_start_index
// Create the full-text index of the words with which names may begin in chunks, to find chunks that may contain a new
// name. It is not used for scores, so all corpora share it.
// Parameters: none
// Rows: none
CREATE FULLTEXT INDEX overstory_name_starts IF NOT EXISTS
FOR (c:Chunk) ON EACH [c.corpus, c.name_starts]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}

// -- schema/online_indexes
// Select the indexes that exist and are online.
// Parameters: $names LIST<STRING>
// Rows: name STRING
SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE'
RETURN name

// -- schema/passage_vector_corpus_index
// Create the index of passage vectors by corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_passage_vectors IF NOT EXISTS FOR (v:PassageVector) ON (v.corpus)

// -- schema/passage_vector_index
// Create the vector index of a corpus' passages, unquantised: with the default quantisation, recall@10 is at most .94.
// Parameters: $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX overstory_vector_{{corpus}} IF NOT EXISTS
FOR (v:{{corpus}}_PassageVector) ON (v.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}

// -- schema/passage_vector_index_alternate
// Create the same index over the property that a second embedder fills while the first is still in use.
// Parameters: $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX overstory_vector_alternate_{{corpus}} IF NOT EXISTS
FOR (v:{{corpus}}_PassageVector) ON (v.embedding_alternate)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}

// -- schema/slim_entity_index
// Create the index of SlimRAG's entities by corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_slim_entities IF NOT EXISTS FOR (e:SlimEntity) ON (e.corpus)

// -- schema/touched_index
// Create the index of documents, chunks and entities by the version of their last change (`touched`).
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_touched IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.touched)

// -- schema/tree_node_index
// Create the index of tree nodes by corpus, tree and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_tree_nodes IF NOT EXISTS FOR (t:TreeNode) ON (t.corpus, t.tree, t.generation)

// -- schema/value_date_index
// Create the index of metadata values of the type date by key, in order.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_dates IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.date)

// -- schema/value_number_index
// Create the index of metadata values of the type number by key, in order.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_numbers IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.number)

// -- schema/value_text_index
// Create the index of metadata values of the type text by key, in order.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_texts IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.text)

// -- schema/vector_index
// Create a vector index over one kind of a corpus' nodes, unquantised: with the default quantisation, the nearest are
// missed.
// Parameters: $name STRING; $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (n:{{label}}) ON (n.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}

// -- schema/write_version
// Record the schema version.
// Parameters: $version INTEGER
// Rows: none
MERGE (meta:Overstory {id: 'meta'})
SET meta:OverstoryMeta, meta.schema = $version
