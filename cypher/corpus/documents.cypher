// -- corpus/boilerplate
// List the boilerplate blocks by folder, most frequent first.
// Parameters: $limit INTEGER
// Rows: folder STRING (path); words STRING (of the block); documents INTEGER (documents with the block); of INTEGER
//   (documents in the folder)
MATCH (f:Folder:{{corpus}})<-[:REPEATED_IN]-(b:Block:{{corpus}})
WHERE b.boilerplate
RETURN f.path AS folder, b.words AS words, b.documents AS documents, f.documents AS of
ORDER BY folder, documents DESC, words LIMIT $limit

// -- corpus/document_pages
// Read the next page of documents.
// Parameters: $after STRING (last id of the previous page, or ""); $limit INTEGER
// Rows: document MAP (the properties); ordered by id
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.id LIMIT $limit

// -- corpus/documents_by_id
// Read the documents with some ids.
// Parameters: $ids LIST<STRING>
// Rows: document MAP (its properties); no row for an unknown id
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
RETURN properties(d) AS document

// -- corpus/disable_documents
// Disable documents, so that no question finds them. Data made from them stays.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER (documents); one row
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus AND d.disabled IS NULL
SET d.disabled = true, d:$($corpus + '_Disabled')
RETURN count(d) AS changed

// -- corpus/enable_documents
// Enable disabled documents.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER (documents); one row
UNWIND $ids AS id
MATCH (d:Overstory {id: id, corpus: $corpus}) WHERE d.disabled
REMOVE d.disabled, d:$($corpus + '_Disabled')
RETURN count(d) AS changed

// -- corpus/document_passages
// Read passages of a document, in reading order.
// Parameters: $id STRING (document); $skip, $limit INTEGER
// Rows: id, heading, text STRING; start, end INTEGER (characters in the document)
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.heading AS heading, c.text AS text, c.start AS start, c.end AS end
ORDER BY c.seq SKIP $skip LIMIT $limit

// -- corpus/passage_position
// Count the passages of a document before a given passage.
// Parameters: $id STRING (document); $passage STRING (id)
// Rows: position INTEGER; one row, or none if the document has no such passage
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk {id: $passage})
RETURN c.seq AS position

// -- corpus/documents_from
// Read the next page of the documents whose sources are in a range.
// Parameters: $least STRING (first source of the range); $before STRING (end of the range, excluded); $limit INTEGER
// Rows: document MAP (the properties); ordered by source and key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source >= $least AND d.source < $before AND d.source_key IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit

// -- corpus/documents_of_source
// Read the next page of the documents of one source.
// Parameters: $source STRING; $least STRING (first key of the page); $limit INTEGER
// Rows: document MAP (the properties); ordered by key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source = $source AND d.source_key >= $least
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit

// -- corpus/failed_files
// List the files that could not be read completely at the last attempt, by source.
// Parameters: none
// Rows: id, source, root, reason, remedy STRING; line INTEGER or NULL; faults INTEGER; since DATETIME (of the first
//   failure)
MATCH (f:{{corpus}}_FailedFile)
RETURN f.id AS id, f.source AS source, f.root AS root, f.reason AS reason, f.remedy AS remedy, f.line AS line,
  f.faults AS faults, f.since AS since
ORDER BY source

// -- corpus/chunk_ids
// List the ids of all chunks of the corpus.
// Parameters: none
// Rows: id STRING
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id

// -- corpus/count_nodes
// Count the nodes of the corpus, including the corpus node.
// Parameters: none
// Rows: nodes INTEGER; one row
MATCH (n:{{corpus}}) RETURN count(n) AS nodes

// -- corpus/delete_contents
// Delete up to $most nodes of the corpus, but not the corpus node.
// Parameters: $most INTEGER
// Rows: deleted INTEGER; one row
MATCH (n:{{corpus}}) WHERE NOT n:Corpus
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS deleted

// -- corpus/mark_unfinished
// Record the new document that is being written in several transactions. Run it second to last, because it locks the
// corpus.
// Parameters: $document STRING (its id), or null to clear the record
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.unfinished = $document

// -- corpus/count_documents
// Count the documents of the corpus.
// Parameters: none
// Rows: documents INTEGER; one row, also if the corpus was just deleted
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
RETURN coalesce(corpus.documents, 0) AS documents

// -- corpus/documents_of_sources
// Read the documents of some sources.
// Parameters: $sources LIST<STRING>
// Rows: document MAP (the properties)
UNWIND $sources AS source
MATCH (d:Overstory {corpus: $corpus, source: source})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source_key IS NOT NULL
RETURN properties(d) AS document

// -- corpus/add_languages
// Add the languages of written passages to the corpus. They decide how questions are read; none is ever removed.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.languages = coalesce(corpus.languages, [])
  + [language IN $languages WHERE NOT language IN coalesce(corpus.languages, [])]
