// -- systems/count_nodes
// Count the nodes of some kinds in the corpus.
// Parameters: $kinds LIST<STRING> (the labels of the kinds in the corpus)
// Rows: nodes INTEGER; one row
MATCH (n:{{corpus}}) WHERE any(kind IN $kinds WHERE kind IN labels(n))
RETURN count(n) AS nodes

// -- systems/labels_in_use
// List the labels that begin with Corpus_ in the database, without reading nodes.
// Parameters: none
// Rows: label STRING
CALL db.labels() YIELD label
WITH label WHERE label STARTS WITH 'Corpus_'
RETURN label

// -- systems/mark
// Mark units as read by an index.
// Parameters: $ids LIST<STRING>; $mark STRING (property that the index sets)
// Rows: none
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
SET n[$mark] = n.touched

// -- systems/remove_nodes
// Delete the nodes of one kind. Commits in batches.
// Parameters: none
// Rows: none
MATCH (n:{{label}})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS

// -- systems/touched
// Find the units of one kind that are new or changed since an index read them. A second inequality of `touched` would
// keep the planner from using the index.
// Parameters: $unit STRING (label of the units); $read_to INTEGER (version up to which all units were read); $mark
//   STRING (property of units read since then; null to return all units)
// Rows: id STRING
MATCH (n:Overstory)
USING INDEX SEEK n:Overstory(corpus, touched)
WHERE n.corpus = $corpus AND n.touched > $read_to AND $unit IN labels(n) AND (n[$mark] IS NULL OR n[$mark] <> n.touched)
RETURN n.id AS id

// -- systems/unmark
// Remove the properties of an index from the units it has read. Commits in batches.
// Parameters: $mark STRING (property of these units); $properties LIST<STRING> (this property and others)
// Rows: none
MATCH (n:{{label}}) WHERE n[$mark] IS NOT NULL
CALL (n) {
  UNWIND $properties AS property
  REMOVE n[property]
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/unrelate
// Delete the relationships of some types that start at units. Commits in batches.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{label}})-[r:$any($types)]->(:Overstory)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS

// -- systems/backlog
// Count the units of the corpus, and those of one kind that are new or changed since an index read them. If the index
// reads several kinds, the largest count is returned. A second inequality of `touched` would keep the planner from
// using the index.
// Parameters: $units LIST<STRING> (labels of units); $read_to INTEGER (version up to which all units were read); $mark
//   STRING (property of units read since then)
// Rows: document, chunk, entity, pending INTEGER; one row
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $units AS unit
  CALL (unit) {
    MATCH (n:Overstory)
    USING INDEX SEEK n:Overstory(corpus, touched)
    WHERE n.corpus = $corpus AND n.touched > $read_to AND unit IN labels(n) AND (n[$mark] IS NULL OR n[$mark] <> n.touched)
    RETURN count(n) AS changed
  }
  RETURN max(changed) AS pending
}
RETURN coalesce(corpus.documents, 0) AS document, coalesce(corpus.chunks, 0) AS chunk,
  coalesce(corpus.entities, 0) AS entity, pending

// -- systems/stands_on
// Find the documents on which some nodes of systems are based, at most $most per node.
// Parameters: $ids LIST<STRING> (of nodes); $most INTEGER (documents per node)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
RETURN id, COLLECT {
  MATCH (n)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
