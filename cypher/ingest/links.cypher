// -- ingest/finish_links
// Write the state of the links of documents.
// Parameters: $rows LIST<MAP {document STRING (id); links_sha256 STRING or null; links INTEGER or null}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document}) WHERE d:Document AND d.corpus = $corpus
SET d.links_sha256 = row.links_sha256, d.links = row.links, d.touched = corpus.version + 1

// -- ingest/remove_links
// Delete links, and placeholders of missing documents with their last link. Links are found by element id, because two
// documents may have thousands. Neo4j reuses element ids, so the other values are compared, too.
// Parameters: $rows LIST<MAP {link (element id), document, target (the id of the node at the other end), type, text STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory)-[l:LINKS]->(t:Overstory) WHERE elementId(l) = row.link
WITH row, d, l, t WHERE d.id = row.document AND t.id = row.target AND l.type = row.type AND l.text = row.text
DELETE l
WITH DISTINCT t
WHERE t:MissingDocument AND t.corpus = $corpus AND NOT EXISTS { (t)<-[:LINKS]-(:Overstory) }
DETACH DELETE t

// -- ingest/remove_links_of_documents
// Delete the links of some documents to missing documents, and placeholders with their last link.
// Parameters: $ids LIST<STRING> (of the documents)
// Rows: none
UNWIND $ids AS id
MATCH (:Overstory {id: id})-[l:LINKS]->(t:Overstory:MissingDocument)
DELETE l
WITH DISTINCT t
WHERE NOT EXISTS { (t)<-[:LINKS]-(:Overstory) }
DETACH DELETE t

// -- ingest/resolve_links
// Redirect links from placeholders of missing documents to the documents, which are stored now.
// Parameters: $rows LIST<MAP {id, missing STRING (ids of the document and its placeholder)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (t:Overstory {id: row.missing}) WHERE t:MissingDocument AND t.corpus = $corpus
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
CALL (corpus, t, d) {
  MATCH (from:Overstory:Document)-[old:LINKS]->(t)
  CREATE (from)-[new:LINKS]->(d)
  SET new = properties(old), from.touched = corpus.version + 1
}
DETACH DELETE t

// -- ingest/stored_links
// Read the links of some documents, including links to missing documents.
// Parameters: $documents LIST<STRING> (ids)
// Rows: link (element id), document, target (id of the node at the other end), target_source, target_key, type, text
//   STRING; weight FLOAT; unordered
UNWIND $documents AS document
MATCH (:Overstory {id: document})-[l:LINKS]->(t:Overstory&(Document|MissingDocument))
RETURN elementId(l) AS link, document, t.id AS target, coalesce(t.target_source, t.source) AS target_source,
  coalesce(t.target_key, t.source_key) AS target_key, l.type AS type, l.text AS text, l.weight AS weight

// -- ingest/unresolve_links
// Redirect links to documents that are about to be deleted to placeholders. Links between two of these documents are
// deleted.
// Parameters: $ids LIST<STRING> (of the documents); $rows LIST<MAP {id, missing STRING (ids of the document and its
//   placeholder)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
MATCH (from:Overstory:Document)-[old:LINKS]->(d)
WHERE NOT from.id IN $ids
MERGE (t:Overstory {id: row.missing})
ON CREATE SET t:MissingDocument:$($corpus):$($corpus + '_MissingDocument'), t.corpus = $corpus, t.target_source = d.source,
  t.target_key = d.source_key
CREATE (from)-[new:LINKS]->(t)
SET new = properties(old), from.touched = corpus.version + 1
DELETE old

// -- ingest/weigh_links
// Change the weights of stored links. They are found by element id, as in `remove_links`.
// Parameters: $rows LIST<MAP {link (element id), document, type, text STRING; weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory)-[l:LINKS]->(:Overstory) WHERE elementId(l) = row.link
WITH row, d, l WHERE d.id = row.document AND l.type = row.type AND l.text = row.text
SET l.weight = row.weight

// -- ingest/write_links
// Write links to stored documents. No link may exist yet, because checking would take quadratic time for two documents
// with many links.
// Parameters: $rows LIST<MAP {document, target (ids), type, text STRING; weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MATCH (t:Overstory {id: row.target})
CREATE (d)-[:LINKS {type: row.type, text: row.text, weight: row.weight}]->(t)

// -- ingest/write_unresolved_links
// Write links to missing documents, with placeholders for them. No link may exist yet, as in `write_links`.
// Parameters: $rows LIST<MAP {document, target (ids), target_source, target_key, type, text STRING;
//   weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (t:Overstory {id: row.target})
ON CREATE SET t:MissingDocument:$($corpus):$($corpus + '_MissingDocument'), t.corpus = $corpus,
  t.target_source = row.target_source, t.target_key = row.target_key
CREATE (d)-[:LINKS {type: row.type, text: row.text, weight: row.weight}]->(t)
