// -- ingest/known_documents
// Read the stored state of some documents.
// Parameters: $ids LIST<STRING>
// Rows: id, source, sha256 STRING; links_sha256 STRING or null; chunks INTEGER; names LIST<STRING>, values LIST
//   (metadata about the file); no row for an unknown document
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
WITH d, coalesce(d.file_metadata, []) AS names
RETURN d.id AS id, d.source AS source, d.sha256 AS sha256, d.links_sha256 AS links_sha256,
  d.chunks AS chunks, names, [name IN names | d['metadata_' + name]] AS values

// -- ingest/remove_failed_files
// Delete the records of files that were read meanwhile, or are gone.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id}) WHERE f:FailedFile AND f.corpus = $corpus
DETACH DELETE f

// -- ingest/write_failed_files
// Record files that could not be read completely. An existing record keeps its date.
// Parameters: $rows LIST<MAP {id, source, root, reason, remedy STRING; line INTEGER or NULL;
//   faults INTEGER}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:FailedFile:$($corpus):$($corpus + '_FailedFile'), f.corpus = $corpus, f.source = row.source,
  f.since = datetime()
SET f.root = row.root, f.reason = row.reason, f.remedy = row.remedy, f.line = row.line, f.faults = row.faults

// -- ingest/known_chunks
// Read the chunks of some documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: id, title, heading STRING; language STRING or null (English)
UNWIND $documents AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.title AS title, c.heading AS heading, c.language AS language

// -- ingest/remove_chunks
// Delete chunks with the nodes based on them. Mark their entities and facts for later stages, and communities that lose
// a leaf or a report; titles taken from the chunks are deleted. A shared node is deleted with the last node it is based
// on, a vector with its last chunk.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(entity:Overstory:Entity)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed'),
    entity.said_in = CASE m.by WHEN 'dictionary' THEN entity.said_in - 1 ELSE entity.said_in END
}
CALL (c) {
  MATCH (entity:Overstory:Entity)-[:ABOUT]->(c)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed')
}
CALL (c) {
  MATCH (fact:Overstory:Fact)-[:STATED_IN]->(c)
  SET fact:$($corpus + '_Stale')
}
CALL (c) {
  MATCH (c)<-[:COVERS]-(:Overstory:TreeNode)-[:CHILD_OF]->(community:Overstory:TreeNode)
  SET community:$($corpus + '_Parted')
}
CALL (c) {
  MATCH (c)<-[:COVERS]-(:Overstory:TreeNode)-[:CHILD_OF*1..]->(community:Overstory:TreeNode)
  WHERE community.named
  REMOVE community.title, community.named
}
CALL (c) {
  MATCH (c)<-[:STANDS_ON]-(:Overstory:OfChunk)<-[:HAS_REPORT]-(community:Overstory:TreeNode)
  SET community:$($corpus + '_Unreported')
  WITH community WHERE community.named
  REMOVE community.title, community.summary, community.named
}
CALL (c) {
  MATCH (n:Overstory:OfChunk)-->(c)
  OPTIONAL MATCH (n)-->(shared:Overstory:Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  OPTIONAL MATCH (s)-->(below:Overstory:Shared)
  WITH collect(DISTINCT s) AS unused, collect(DISTINCT below) AS below
  FOREACH (s IN unused | DETACH DELETE s)
  WITH below
  UNWIND below AS b
  WITH b WHERE NOT EXISTS { (b)<--(:Overstory) }
  DETACH DELETE b
}
OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH collect(c) AS chunks, collect(DISTINCT v) AS vectors
FOREACH (c IN chunks | DETACH DELETE c)
WITH vectors
UNWIND vectors AS v
WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() }
DETACH DELETE v

// -- ingest/remove_documents
// Delete documents whose chunks are gone, with the nodes based on them. A shared node is deleted with the last node it
// is based on.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (n:Overstory:OfDocument)-->(d)
  OPTIONAL MATCH (n)-->(shared:Overstory:Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  OPTIONAL MATCH (s)-->(below:Overstory:Shared)
  WITH collect(DISTINCT s) AS unused, collect(DISTINCT below) AS below
  FOREACH (s IN unused | DETACH DELETE s)
  WITH below
  UNWIND below AS b
  WITH b WHERE NOT EXISTS { (b)<--(:Overstory) }
  DETACH DELETE b
}
DETACH DELETE d

// -- ingest/remove_unfinished
// Delete the placeholder of an unfinished document, after its chunks.
// Parameters: $id STRING
// Rows: none
MATCH (d:Overstory {id: $id}) WHERE NOT d:Document
DETACH DELETE d

// -- ingest/shrink_document
// Record that some chunks of a document are about to be deleted in a transaction of their own. Until it is deleted or
// loaded again, the document counts as changed.
// Parameters: $id STRING; $chunks INTEGER (number of these chunks)
// Rows: none
MATCH (d:Overstory {id: $id}) WHERE d:Document AND d.corpus = $corpus
SET d.sha256 = '', d.chunks = d.chunks - $chunks
REMOVE d.content_sha256

// -- ingest/write_sections
// Write the section properties of chunks. No system depends on them.
// Parameters: $rows LIST<MAP {id STRING; properties MAP (null removes one)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c += row.properties

// -- ingest/carry_over_disabled
// Disable documents to which disabled documents moved.
// Parameters: $rows LIST<MAP {old, new STRING (ids of documents)}>
// Rows: none
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old}) WHERE old.disabled
MATCH (new:Overstory {id: row.new}) WHERE new:Document AND new.corpus = $corpus
SET new.disabled = true, new:$($corpus + '_Disabled')

// -- ingest/carry_over_extractions
// Copy sentences, mentions and statements to chunks from chunks with the same title, heading and text. The extractor's
// results go to chunks it has not read, annotations to chunks without any. The mentions stage finds the dictionary's
// mentions itself. Names as found before edits are copied, too.
// Parameters: $annotated STRING (`by` of annotations); $rows LIST<MAP {old, new STRING}> (ids of chunks with equal
//   texts)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old})
MATCH (new:Overstory {id: row.new})
WHERE new:Chunk AND new.corpus = $corpus AND new.title = old.title AND new.heading = old.heading
WITH corpus, old, new, new.extracted IS NULL AS unread,
  EXISTS { (new)-[:MENTIONS {by: $annotated}]->(:Overstory:Entity) }
    OR EXISTS { (new)<-[:STATED_IN {by: $annotated}]-(:Overstory:Fact) }
    OR EXISTS { (new)<-[:OF]-(:Overstory:OriginalNames {by: $annotated}) } AS annotated
SET new.extracted = coalesce(new.extracted, old.extracted), new.sentences = coalesce(new.sentences, old.sentences),
  new.touched = corpus.version + 1, new:$($corpus + '_Changed')
FOREACH (_ IN CASE WHEN new.extracted IS NULL THEN [] ELSE [1] END | REMOVE new:$($corpus + '_Unread'))
WITH old, new, unread, annotated
CALL (old, new, unread, annotated) {
  MATCH (old)-[m:MENTIONS]->(entity:Overstory:Entity)
  WHERE m.by <> 'dictionary' AND CASE WHEN m.by = $annotated THEN NOT annotated ELSE unread END
  CREATE (new)-[copy:MENTIONS]->(entity)
  SET copy = properties(m), entity:$($corpus + '_Stale'):$($corpus + '_Changed')
}
CALL (old, new, unread, annotated) {
  MATCH (old)<-[:OF]-(o:Overstory:OriginalNames)
  WHERE o.by <> 'about' AND CASE WHEN o.by = $annotated THEN NOT annotated ELSE unread END
  MERGE (copy:Overstory {id: new.id + ' ' + o.by})
  SET copy:OriginalNames:$($corpus):$($corpus + '_OriginalNames'):OfChunk, copy.corpus = o.corpus, copy.by = o.by,
    copy.keys = o.keys, copy.found = o.found
  MERGE (copy)-[:OF]->(new)
}
CALL (old, new) {
  WITH old, new WHERE $corpus + '_Renamed' IN labels(old)
  SET new:$($corpus + '_Renamed')
}
CALL (old, new, unread, annotated) {
  MATCH (old)<-[s:STATED_IN]-(fact:Overstory:Fact)
  WHERE CASE WHEN s.by = $annotated THEN NOT annotated ELSE unread END
  CREATE (new)<-[copy:STATED_IN]-(fact)
  SET copy = properties(s), fact:$($corpus + '_Stale')
}

// -- ingest/carry_over_vectors
// Copy vectors to chunks without one from chunks with the same title, heading and text.
// Parameters: $property STRING; $rows LIST<MAP {old, new STRING}> (ids of chunks with equal texts)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old})
MATCH (new:Overstory {id: row.new})
WHERE new:Chunk AND new.corpus = $corpus AND new.title = old.title AND new.heading = old.heading
  AND new[$property] IS NULL AND old[$property] IS NOT NULL
SET new.touched = corpus.version + 1
WITH new, old
CALL db.create.setNodeVectorProperty(new, $property, old[$property])

// -- ingest/chunk_texts
// Read the texts of a document's chunks.
// Parameters: $document STRING (id)
// Rows: id, text STRING; in reading order
MATCH (:Overstory {id: $document})<-[:PART_OF]-(c:Overstory:Chunk)
RETURN c.id AS id, c.text AS text ORDER BY c.seq

// -- ingest/begin_document
// Begin a document that is written in several transactions. A new document stays invisible until the last of them; an
// existing document counts as changed until then.
// Parameters: $id STRING
// Rows: none
MERGE (d:Overstory {id: $id})
ON CREATE SET d:$($corpus)
WITH d WHERE d:Document AND d.corpus = $corpus
SET d.sha256 = ''
REMOVE d.content_sha256

// -- ingest/chain_chunks
// Connect chunks in reading order.
// Parameters: $pairs LIST<LIST<STRING>> (id of a chunk, id of the next chunk)
// Rows: none
UNWIND $pairs AS pair
MATCH (a:Overstory {id: pair[0]})
MATCH (b:Overstory {id: pair[1]})
MERGE (a)-[:NEXT]->(b)

// -- ingest/count_part
// Count the chunks of a document after a part of it was written.
// Parameters: $id STRING
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
MATCH (d:Overstory {id: $id}) WHERE d:Document AND d.corpus = $corpus
SET d.chunks = COUNT { (d)<-[:PART_OF]-() }, d.touched = corpus.version + 1

// -- ingest/unchain_chunks
// Delete the NEXT relationships within some documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: none
UNWIND $documents AS document
MATCH (:Overstory {id: document})<-[:PART_OF]-(:Overstory:Chunk)-[next:NEXT]->(:Overstory)
DELETE next

// -- ingest/unchain_some
// Delete the NEXT relationships that start at some chunks.
// Parameters: $ids LIST<STRING> (chunks; unknown ids are ignored)
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[next:NEXT]->(:Overstory)
DELETE next

// -- ingest/write_chunks
// Write chunks. An existing chunk keeps its vector, mentions and facts. A new chunk gets the stored vector of its text,
// or is marked for the embed stage; it is also marked for the extract stage.
// Parameters: $rows LIST<MAP {id, document STRING; vector STRING (id) or null; properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (c:Overstory {id: row.id})
ON CREATE SET c:$($corpus + '_Unembedded'):$($corpus + '_Unread')
SET c += row.properties, c.touched = corpus.version + 1,
  c:Chunk:$($corpus):$($corpus + '_Chunk'):$($corpus + '_Changed'):$('IndexSet_' + corpus.index_set)
MERGE (c)-[:PART_OF]->(d)
WITH c, row WHERE $corpus + '_Unembedded' IN labels(c)
MATCH (v:Overstory {id: row.vector}) WHERE v:PassageVector AND v.corpus = $corpus
MERGE (c)-[:HAS_VECTOR]->(v)
REMOVE c:$($corpus + '_Unembedded')

// -- ingest/write_documents
// Write documents with all their properties. Properties of links stay, because links are written later. A disabled
// document stays disabled.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (d:Overstory {id: row.id})
WITH corpus, row, d, d.links AS links, d.links_sha256 AS links_sha256, d.disabled AS disabled
SET d = row.properties, d.links = links, d.links_sha256 = links_sha256, d.disabled = disabled, d.touched = corpus.version + 1,
  d:Document:$($corpus):$($corpus + '_Document')
MERGE (d)-[:IN]->(corpus)

// -- ingest/write_metadata
// Write the metadata of documents with no other change. No system depends on metadata, so `touched` stays.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>; null removes a property
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
SET d += row.properties
