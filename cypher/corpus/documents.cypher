// -- corpus/boilerplate
// The blocks that are boilerplate, by folder, those that most documents have first.
// Parameters: $limit INTEGER
// Rows: folder (path), words STRING; documents, of INTEGER (documents that have it, and of the folder)
MATCH (f:Folder:{{corpus}})<-[:REPEATED_IN]-(b:Block:{{corpus}})
WHERE b.boilerplate
RETURN f.path AS folder, b.words AS words, b.documents AS documents, f.documents AS of
ORDER BY folder, documents DESC, words LIMIT $limit

// -- corpus/document_pages
// The next page of documents.
// Parameters: $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: document MAP (the properties); ordered by id
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.id LIMIT $limit

// -- corpus/documents_by_id
// Some documents.
// Parameters: $ids LIST<STRING>
// Rows: document MAP (the properties); none for those that are not stored
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
RETURN properties(d) AS document

// -- corpus/disable_documents
// Disables documents: no question finds anything of them any more. What was made from them stays.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER; one
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus AND d.disabled IS NULL
SET d.disabled = true, d:$($corpus + '_Disabled')
RETURN count(d) AS changed

// -- corpus/enable_documents
// Enables documents that were disabled.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER; one
UNWIND $ids AS id
MATCH (d:Overstory {id: id, corpus: $corpus}) WHERE d.disabled
REMOVE d.disabled, d:$($corpus + '_Disabled')
RETURN count(d) AS changed

// -- corpus/document_passages
// Passages of a document, in reading order.
// Parameters: $id STRING (document); $skip, $limit INTEGER
// Rows: id, heading, text STRING; start, end INTEGER (characters in the document)
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.heading AS heading, c.text AS text, c.start AS start, c.end AS end
ORDER BY c.seq SKIP $skip LIMIT $limit

// -- corpus/passage_position
// How many passages of a document come before one of them.
// Parameters: $id STRING (document); $passage STRING
// Rows: position INTEGER; none if the document has no such passage
MATCH (:Overstory {id: $id, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk {id: $passage})
RETURN c.seq AS position

// -- corpus/documents_from
// The next page of the documents whose sources are in a range.
// Parameters: $least STRING (the least source); $before STRING (the source that all come before); $limit INTEGER
// Rows: document MAP (the properties); ordered by source and key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source >= $least AND d.source < $before AND d.source_key IS NOT NULL
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit

// -- corpus/documents_of_source
// The next page of the documents of one source.
// Parameters: $source STRING; $least STRING (the least key); $limit INTEGER
// Rows: document MAP (the properties); ordered by key
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source = $source AND d.source_key >= $least
RETURN properties(d) AS document ORDER BY d.corpus, d.source, d.source_key LIMIT $limit

// -- corpus/failed_files
// The files of a corpus that could not be read when they were last looked at, or not all of them, by source.
// Parameters: none
// Rows: id, source, root, reason, remedy STRING; line INTEGER or NULL; faults INTEGER; since DATETIME
MATCH (f:{{corpus}}_FailedFile)
RETURN f.id AS id, f.source AS source, f.root AS root, f.reason AS reason, f.remedy AS remedy, f.line AS line,
  f.faults AS faults, f.since AS since
ORDER BY source

// -- corpus/chunk_ids
// The ids of all chunks of a corpus.
// Parameters: none
// Rows: id STRING
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN c.id AS id

// -- corpus/count_nodes
// How many nodes a corpus has, itself among them.
// Parameters: none
// Rows: nodes INTEGER; one
MATCH (n:{{corpus}}) RETURN count(n) AS nodes

// -- corpus/delete_contents
// Deletes some of what a corpus holds, but not the corpus itself.
// Parameters: $most INTEGER
// Rows: deleted INTEGER; one
MATCH (n:{{corpus}}) WHERE NOT n:Corpus
WITH n LIMIT $most
DETACH DELETE n
RETURN count(*) AS deleted

// -- corpus/mark_unfinished
// Notes which new document is being written in several transactions; last but one in a transaction, because it locks the
// corpus.
// Parameters: $document STRING (its id), or null: none any more
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.unfinished = $document

// -- corpus/count_documents
// How many documents a corpus has.
// Parameters: none
// Rows: documents INTEGER; one, also for a corpus that was just deleted
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
RETURN coalesce(corpus.documents, 0) AS documents

// -- corpus/documents_of_sources
// The documents of some sources.
// Parameters: $sources LIST<STRING>
// Rows: document MAP (the properties)
UNWIND $sources AS source
MATCH (d:Overstory {corpus: $corpus, source: source})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source_key IS NOT NULL
RETURN properties(d) AS document

// -- corpus/add_languages
// Notes the languages of passages that are written; the list only grows. Which there are decides how questions are read.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.languages = coalesce(corpus.languages, [])
  + [language IN $languages WHERE NOT language IN coalesce(corpus.languages, [])]
