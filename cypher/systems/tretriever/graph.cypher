// -- systems/tretriever/document_texts
// Read titles and first passages of documents.
// Parameters: $ids LIST<STRING>
// Rows: id, title, key STRING; chunk STRING (id of the first passage); text STRING; boilerplate LIST<INTEGER>; the last
//   three are null without a passage
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0
RETURN id, coalesce(d.title, '') AS title, d.source_key AS key, c.id AS chunk, c.text AS text,
  coalesce(c.boilerplate, []) AS boilerplate

// -- systems/tretriever/documents
// Read the next page of documents as vertices, by id, with the links that start at each.
// Parameters: $after STRING (last id of the previous page); $limit INTEGER; $property STRING (of the vectors); $most
//   INTEGER (first passages per document whose vectors are returned)
// Rows: id, sha256 STRING; chunks INTEGER; boilerplate LIST<LIST<INTEGER>> (of its first passages, null without
//   boilerplate); vectors LIST<LIST<FLOAT>>; links LIST<LIST> (id of another stored document, weight, type, text)
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > $after AND d.sha256 IS NOT NULL
WITH d ORDER BY d.corpus, d.id LIMIT $limit
CALL (d) {
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH c ORDER BY c.seq LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  RETURN collect(v[$property]) AS vectors, [c IN collect(c) WHERE c.boilerplate IS NOT NULL | c.boilerplate] AS boilerplate
}
RETURN d.id AS id, d.sha256 AS sha256, coalesce(d.chunks, 0) AS chunks, boilerplate, vectors,
  COLLECT { MATCH (d)-[l:LINKS]->(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS links
ORDER BY id

// -- systems/tretriever/examples
// Find a vertex of T-Retriever's tree and its largest set below the root, as example values for the saved queries.
// Parameters: $found MAP (values found before)
// Rows: document, name, community STRING (null if there is none, or a value was found before); one row
OPTIONAL MATCH (corpus:Corpus:{{corpus}})
CALL (corpus) {
  MATCH (t:{{corpus}}_TretrieverNode)-[:CHILD_OF]->(root:{{corpus}}_TretrieverNode)
  WHERE t.generation = corpus.generation_tretriever AND root.level = 0 AND t.vector IS NOT NULL
  WITH t ORDER BY t.size DESC, t.id LIMIT 1
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf:{{corpus}}_TretrieverNode)-[:COVERS]->(unit:{{corpus}})
  WITH t, unit ORDER BY leaf.volume DESC, unit.id LIMIT 1
  RETURN collect({community: left(t.id, 8), unit: unit})[0] AS largest
}
RETURN CASE WHEN coalesce($found.document, '') = '' THEN nullIf(largest.unit.title, '') END AS document,
  CASE WHEN coalesce($found.name, '') = '' THEN largest.unit.name END AS name,
  CASE WHEN coalesce($found.community, '') = '' THEN largest.community END AS community

// -- systems/tretriever/size
// Count the communities of a generation without a summary. Deleting a passage of a summary marks its community.
// Parameters: $generation INTEGER
// Rows: without INTEGER; one row
MATCH (t:{{corpus}}_Unreported)
WHERE t:{{corpus}}_TretrieverNode AND t.generation = $generation AND t.level > 0 AND t.vector IS NOT NULL
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) }
RETURN count(t) AS without
