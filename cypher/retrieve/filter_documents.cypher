// The documents that have some values of metadata.
// Parameters: $values LIST<STRING> (ids of values)
// Rows: documents LIST<STRING> (ids; of a document with several of the values more than once); one
RETURN COLLECT {
  UNWIND $values AS id
  MATCH (v:Overstory {id: id, corpus: $corpus})<-[:HAS_VALUE]-(d:Overstory:Document)
  RETURN d.id
} AS documents
