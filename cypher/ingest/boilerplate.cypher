// -- ingest/boilerplate_blocks
// Read the boilerplate blocks of some folders.
// Parameters: $folders LIST<STRING> (ids)
// Rows: folder STRING (id); hashes LIST<INTEGER>
UNWIND $folders AS folder
MATCH (f:Overstory {id: folder})
RETURN folder, COLLECT { MATCH (f)<-[:REPEATED_IN]-(b:Overstory:Block) WHERE b.boilerplate RETURN b.hash } AS hashes

// -- ingest/count_blocks
// Change the number of documents of a folder that have a block. A block with enough documents is connected to the
// folder; other blocks are only counters.
// Parameters: $rows LIST<MAP {id, folder (id), words STRING ("" if documents are removed); hash, change INTEGER}>;
//   $least INTEGER (documents from which on a block is connected)
// Rows: none
UNWIND $rows AS row
MERGE (b:Overstory {id: row.id})
ON CREATE SET b:Block:$($corpus), b.corpus = $corpus, b.hash = row.hash, b.documents = 0
SET b.documents = b.documents + row.change
WITH b, row
CALL (b, row) {
  WITH b, row WHERE b.documents >= $least AND row.words <> ''
  MATCH (f:Overstory {id: row.folder})
  MERGE (b)-[:REPEATED_IN]->(f)
  SET b.words = row.words, b.boilerplate = coalesce(b.boilerplate, false)
}
CALL (b) {
  WITH b WHERE b.documents <= 0 AND NOT EXISTS { (b)-[:REPEATED_IN]->() }
  DELETE b
}

// -- ingest/count_folders
// Change the number of documents of folders, and mark the folders, because the share of documents with a block changes.
// Parameters: $rows LIST<MAP {id, path STRING; change INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:Folder:$($corpus), f.corpus = $corpus, f.path = row.path, f.documents = 0
SET f.documents = f.documents + row.change, f:$($corpus + '_BoilerplateStale')

// -- ingest/counted_documents
// Read the blocks for which some documents are counted in their folders. Documents without a folder have none.
// Parameters: $ids LIST<STRING>
// Rows: id, folder STRING (a path); blocks LIST<INTEGER> (hashes)
UNWIND $ids AS id
MATCH (d:Overstory {id: id})-[:IN_FOLDER]->(f:Overstory:Folder)
RETURN d.id AS id, f.path AS folder, d.blocks AS blocks

// -- ingest/document_pieces
// Read the chunks of some documents, with their marked boilerplate.
// Parameters: $ids LIST<STRING> (documents)
// Rows: document, id, title, heading, text STRING; language STRING or null; start INTEGER (character in the document);
//   boilerplate LIST<INTEGER>; held, only BOOLEAN; the chunks of a document in order
UNWIND $ids AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN document, c.id AS id, c.title AS title, c.heading AS heading, c.text AS text, c.start AS start,
  c.language AS language,
  coalesce(c.boilerplate, []) AS boilerplate, $corpus + '_Boilerplate' IN labels(c) AS held, c:BoilerplateOnly AS only
ORDER BY document, c.seq

// -- ingest/finish_boilerplate
// Remove the mark from documents whose boilerplate is up to date.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id})
REMOVE d:$($corpus + '_BoilerplateStale')

// -- ingest/forget_vectors
// Detach chunks from their vectors and mark them for the embed stage, because their embedded text changed. A vector is
// deleted with its last chunk.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c:$($corpus + '_Unembedded'), c.touched = corpus.version + 1
WITH c
MATCH (c)-[has:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH collect(has) AS joined, collect(DISTINCT v) AS vectors
FOREACH (has IN joined | DELETE has)
WITH vectors
UNWIND vectors AS v
WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() }
DETACH DELETE v

// -- ingest/mark_all_folders
// Mark all folders after a change of the definition of boilerplate. Commits in batches.
// Parameters: none
// Rows: none
MATCH (f:Folder:{{corpus}})
CALL (f) { SET f:{{corpus}}_BoilerplateStale } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/mark_boilerplate
// Store the boilerplate spans of chunks. If they changed, all stages read the chunk again (`forget_vectors` must run
// before). A chunk with nothing else needs no vector.
// Parameters: $rows LIST<MAP {chunk STRING; spans LIST<INTEGER> or null (no boilerplate); only (nothing else), changed
//   BOOLEAN}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
SET c.boilerplate = row.spans
FOREACH (_ IN CASE WHEN row.changed THEN [1] ELSE [] END |
  SET c.touched = corpus.version + 1, c:$($corpus + '_Changed'):$($corpus + '_Unread')
  REMOVE c.extracted
)
FOREACH (_ IN CASE WHEN row.spans IS NULL THEN [] ELSE [1] END | SET c:$($corpus + '_Boilerplate'))
FOREACH (_ IN CASE WHEN row.spans IS NULL THEN [1] ELSE [] END | REMOVE c:$($corpus + '_Boilerplate'))
FOREACH (_ IN CASE WHEN row.only THEN [1] ELSE [] END |
  SET c:BoilerplateOnly:$($corpus + '_BoilerplateOnly')
  REMOVE c:$($corpus + '_Unembedded')
)
FOREACH (_ IN CASE WHEN row.only THEN [] ELSE [1] END | REMOVE c:BoilerplateOnly:$($corpus + '_BoilerplateOnly'))
WITH corpus, c, row WHERE row.changed
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
SET d.touched = corpus.version + 1 // for systems that read whole documents

// -- ingest/mark_documents_with_blocks
// Mark the documents of a folder that have one of some blocks. Commits in batches.
// Parameters: $folder STRING (id); $hashes LIST<INTEGER>
// Rows: none
MATCH (:Overstory {id: $folder})<-[:IN_FOLDER]-(d:Overstory:Document)
WHERE NOT $corpus + '_BoilerplateStale' IN labels(d) AND any(hash IN $hashes WHERE hash IN d.blocks)
CALL (d) { SET d:$($corpus + '_BoilerplateStale') } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/place_documents
// Connect documents to their folders, and mark documents that have or had boilerplate.
// Parameters: $rows LIST<MAP {document, folder STRING (ids; "" for no folder); hashes LIST<INTEGER>; blocks LIST<STRING>
//   (their ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
SET d.blocks = row.hashes
WITH d, row
CALL (d, row) {
  WITH d, row WHERE row.folder <> ''
  MATCH (f:Overstory {id: row.folder})
  MERGE (d)-[:IN_FOLDER]->(f)
}
CALL (d, row) {
  WITH d, row
  WHERE EXISTS { UNWIND row.blocks AS id MATCH (b:Overstory {id: id}) WHERE b.boilerplate }
    OR EXISTS { (d)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.boilerplate IS NOT NULL }
  SET d:$($corpus + '_BoilerplateStale')
}

// -- ingest/stale_boilerplate
// Read the next documents whose boilerplate must be computed again.
// Parameters: $limit INTEGER
// Rows: id, folder (id, "" for no folder) STRING; chunks INTEGER; blocks LIST<INTEGER> (hashes)
MATCH (d:{{corpus}}_BoilerplateStale:Document)
WITH d LIMIT $limit
OPTIONAL MATCH (d)-[:IN_FOLDER]->(f:Folder:{{corpus}})
RETURN d.id AS id, coalesce(f.id, '') AS folder, d.chunks AS chunks, coalesce(d.blocks, []) AS blocks

// -- ingest/stale_folders
// Read the next folders in which the number of documents, or of documents with a block, changed.
// Parameters: $keep BOOLEAN (treat nothing as boilerplate); $least INTEGER, $share FLOAT (a block is boilerplate if at
//   least `$least` documents of the folder have it, and more than `$share` of them); $limit INTEGER
// Rows: id STRING; changed LIST<INTEGER> (hashes of blocks that became or ceased to be boilerplate)
MATCH (f:{{corpus}}_BoilerplateStale:Folder)
WITH f LIMIT $limit
RETURN f.id AS id, COLLECT {
  MATCH (f)<-[:REPEATED_IN]-(b:Block:{{corpus}})
  WHERE (NOT $keep AND b.documents >= $least AND b.documents > $share * f.documents) <> b.boilerplate
  RETURN b.hash
} AS changed

// -- ingest/sync_folders
// Store for each block of some folders whether it is boilerplate, and remove the mark from the folders. Rare blocks are
// disconnected; unused blocks and folders are deleted.
// Parameters: $ids LIST<STRING>; $keep, $least, $share as in ingest/stale_folders
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id})
REMOVE f:$($corpus + '_BoilerplateStale')
WITH f
CALL (f) {
  MATCH (f)<-[r:REPEATED_IN]-(b:Overstory:Block)
  WITH r, b, NOT $keep AND b.documents >= $least AND b.documents > $share * f.documents AS boilerplate
  WHERE boilerplate <> b.boilerplate OR b.documents < $least
  SET b.boilerplate = boilerplate
  WITH r, b WHERE b.documents < $least
  DELETE r
  REMOVE b.boilerplate, b.words
  WITH b WHERE b.documents <= 0
  DELETE b
}
CALL (f) {
  WITH f WHERE f.documents <= 0
  DETACH DELETE f
}
