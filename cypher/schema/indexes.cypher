// -- schema/index_state
// The state of an index.
// Parameters: $name STRING
// Rows: state STRING ("ONLINE", "POPULATING", "FAILED"), percent FLOAT (of what is to be in it), dimension INTEGER or
//   null; none if there is no such index
SHOW INDEXES YIELD name, state, populationPercent, options WHERE name = $name
RETURN state, populationPercent AS percent, options.indexConfig['vector.dimensions'] AS dimension

// -- schema/apr_entity_index
// The entities of AutoPrunedRetriever's codebook by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_apr_entities IF NOT EXISTS FOR (s:AprEntity) ON (s.corpus)

// -- schema/await_index
// Waits until an index can be used.
// Parameters: $name STRING; $seconds INTEGER
// Rows: none
CALL db.awaitIndex($name, $seconds)

// -- schema/chunk_page_index
// The order in which stages page through the chunks of a corpus. It is one for all corpora, because every change of the
// schema makes the server forget its plans. Only chunks have a token_count, and only nodes with all three properties are
// in the index. Statements ask for it by a hint (INDEX SEEK), without which the planner may read it from the beginning,
// and they order by corpus and id, without which the planner does not see that it is in order.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_chunk_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.token_count)

// -- schema/count_kind
// How many nodes carry a label, from the counts that the server keeps.
// Parameters: none
// Rows: nodes INTEGER; one row
MATCH (n:{{label}}) RETURN count(n) AS nodes

// -- schema/document_key_index
// Documents of a corpus by the key that their source gives them.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_keys IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source_key)

// -- schema/document_page_index
// The order in which the documents of a corpus are exported and counted. Only documents have a sha256.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.sha256)

// -- schema/document_source_index
// The order of a corpus' documents by source and key, in which they are listed, and found by source or folder. Only
// documents have a source_key.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_sources IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.source, n.source_key)

// -- schema/drop_index
// Drops an index, if it is there.
// Parameters: $name STRING
// Rows: none
DROP INDEX $name IF EXISTS

// -- schema/hirag_entity_index
// HiRAG's entities, by corpus and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_hirag_entities IF NOT EXISTS FOR (e:HiragEntity) ON (e.corpus, e.generation)

// -- schema/id_constraint
// Makes ids unique among Overstory's nodes; the lookup of every MERGE.
// Parameters: none
// Rows: none
CREATE CONSTRAINT overstory_id IF NOT EXISTS FOR (n:Overstory) REQUIRE n.id IS UNIQUE

// -- schema/index_names
// The names of all indexes that Overstory made.
// Parameters: none
// Rows: name STRING, type STRING, state STRING
SHOW INDEXES YIELD name, type, state WHERE name STARTS WITH 'overstory_'
RETURN name, type, state ORDER BY name

// -- schema/name_end_index
// Finds names of two words or more by how they end: `backwards` is the key of an entity, its last character first.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_name_ends IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.backwards)

// -- schema/name_index
// Finds names of two words or more by how they begin: only entities that are called so have `backwards`, and only nodes
// with all three properties are in the index.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_names IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.backwards)

// -- schema/name_start_index
// What names may begin with in chunks, to find those in which a new name stands. It is not scored, so it is one for all
// corpora.
// Parameters: none
// Rows: none
CREATE FULLTEXT INDEX overstory_name_starts IF NOT EXISTS
FOR (c:Chunk) ON EACH [c.corpus, c.name_starts]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}

// -- schema/online_indexes
// Which of some indexes are there and answer.
// Parameters: $names LIST<STRING>
// Rows: name STRING
SHOW INDEXES YIELD name, state WHERE name IN $names AND state = 'ONLINE'
RETURN name

// -- schema/passage_vector_corpus_index
// The vectors of passages by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_passage_vectors IF NOT EXISTS FOR (v:PassageVector) ON (v.corpus)

// -- schema/passage_vector_index
// The vectors of a corpus' passages, unquantised: with the default quantisation recall@10 stops at .94.
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
// As passage_vector_index, over the property that a second embedder fills while the first is still being asked.
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
// SlimRAG's entities by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_slim_entities IF NOT EXISTS FOR (e:SlimEntity) ON (e.corpus)

// -- schema/touched_index
// Finds what changed in a corpus since a version of it: documents, chunks and entities carry `touched`.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_touched IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.touched)

// -- schema/tree_node_index
// The nodes of trees, by corpus, tree and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_tree_nodes IF NOT EXISTS FOR (t:TreeNode) ON (t.corpus, t.tree, t.generation)

// -- schema/value_date_index
// Values of metadata of a corpus by their key, in order: those of the type date.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_dates IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.date)

// -- schema/value_number_index
// Values of metadata of a corpus by their key, in order: those of the type number.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_numbers IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.number)

// -- schema/value_text_index
// Values of metadata of a corpus by their key, in order: those of the type text.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_value_texts IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.text)

// -- schema/vector_index
// Makes the vector index over one kind of a corpus' nodes, unquantised: with the default quantisation the nearest are missed.
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
// Records the schema version.
// Parameters: $version INTEGER
// Rows: none
MERGE (meta:Overstory {id: 'meta'})
SET meta:OverstoryMeta, meta.schema = $version
