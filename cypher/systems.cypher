// -- systems/count_nodes
// How many nodes of some kinds a corpus has.
// Parameters: $kinds LIST<STRING> (the labels of the kinds in the corpus)
// Rows: nodes INTEGER; one row
MATCH (n:{{corpus}}) WHERE any(kind IN $kinds WHERE kind IN labels(n))
RETURN count(n) AS nodes

// -- systems/labels_in_use
// The labels that nodes of any corpus have, from the store's counts: no node is read.
// Parameters: none
// Rows: label STRING
CALL db.labels() YIELD label
WITH label WHERE label STARTS WITH 'Corpus_'
RETURN label

// -- systems/mark
// Marks units as read by an index as they are now.
// Parameters: $ids LIST<STRING>; $mark STRING (the property)
// Rows: none
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
SET n[$mark] = n.touched

// -- systems/remove_nodes
// Deletes the nodes of one kind; commits as it goes.
// Parameters: none
// Rows: none
MATCH (n:{{label}})
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS

// -- systems/touched
// The units of one kind that changed since an index read them, or are new.
// A second inequality of `touched` would keep the planner from the index.
// Parameters: $unit STRING (the label of the units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since; null for all
//   units)
// Rows: id STRING
MATCH (n:Overstory)
USING INDEX SEEK n:Overstory(corpus, touched)
WHERE n.corpus = $corpus AND n.touched > $read_to AND $unit IN labels(n) AND (n[$mark] IS NULL OR n[$mark] <> n.touched)
RETURN n.id AS id

// -- systems/unmark
// Takes the properties of an index off the units that it has read; commits as it goes.
// Parameters: $mark STRING (the property of those that it has read); $properties LIST<STRING> (that and others)
// Rows: none
MATCH (n:{{label}}) WHERE n[$mark] IS NOT NULL
CALL (n) {
  UNWIND $properties AS property
  REMOVE n[property]
} IN TRANSACTIONS OF 10000 ROWS

// -- systems/unrelate
// Deletes the relationships of some types that begin at units; commits as it goes.
// Parameters: $types LIST<STRING>
// Rows: none
MATCH (:{{label}})-[r:$any($types)]->(:Overstory)
CALL (r) { DELETE r } IN TRANSACTIONS OF 10000 ROWS

// -- systems/backlog
// How many units a corpus has, and how many of one kind changed since an index read them, or are new; of several kinds
// that an index reads, those of which it is most.
// A second inequality of `touched` would keep the planner from the index.
// Parameters: $units LIST<STRING> (labels of units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since)
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
// The documents whose passages some nodes of systems stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (of nodes); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (n:Overstory {id: id}) WHERE n.corpus = $corpus
RETURN id, COLLECT {
  MATCH (n)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
