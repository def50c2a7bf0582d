// -- corpus/metadata_values
// List the most frequent values of a metadata key. Reads the values of the key, not the documents.
// Parameters: $key STRING (id of the key); $limit INTEGER
// Rows: text STRING, number INTEGER or FLOAT, date DATETIME, boolean BOOLEAN (all but one are null); cut BOOLEAN (text
//   is the beginning of a longer text); documents INTEGER; most documents first
MATCH (k:Overstory {id: $key}) WHERE k:MetadataKey AND k.corpus = $corpus
MATCH (k)<-[:OF_KEY]-(v:Overstory:MetadataValue)
WITH v, COUNT { (v)<-[:HAS_VALUE]-() } AS documents
ORDER BY documents DESC, v.text, v.number, v.date, v.boolean LIMIT $limit
RETURN v.text AS text, v.number AS number, v.date AS date, v.boolean AS boolean, coalesce(v.cut, false) AS cut, documents

// -- corpus/metadata_first_dates
// Read the first date values of some metadata keys, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first values)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, date)
  WHERE v.date IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.date LIMIT $limit
  RETURN collect(v.date) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, date)
  WHERE v.date IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.date DESC LIMIT 1
  RETURN collect(v.date) AS last
}
RETURN key, first, last

// -- corpus/metadata_first_numbers
// Read the first number values of some metadata keys, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first values)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, number)
  WHERE v.number IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.number LIMIT $limit
  RETURN collect(v.number) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, number)
  WHERE v.number IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.number DESC LIMIT 1
  RETURN collect(v.number) AS last
}
RETURN key, first, last

// -- corpus/metadata_first_texts
// Read the first text values of some metadata keys, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first values)
// Rows: key STRING; first LIST (in order); last LIST (one)
UNWIND $keys AS key
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, text)
  WHERE v.text IS NOT NULL
  WITH v ORDER BY v.corpus, v.key, v.text LIMIT $limit
  RETURN collect(v.text) AS first
}
CALL (key) {
  MATCH (v:Overstory {corpus: $corpus, key: key})
  USING INDEX SEEK v:Overstory(corpus, key, text)
  WHERE v.text IS NOT NULL
  WITH v ORDER BY v.corpus DESC, v.key DESC, v.text DESC LIMIT 1
  RETURN collect(v.text) AS last
}
RETURN key, first, last

// -- corpus/metadata_keys
// List the metadata keys by type, with the numbers of documents and distinct values.
// Parameters: none
// Rows: key, type STRING; documents, values INTEGER; ordered by key and type
MATCH (k:{{corpus}}_MetadataKey)
RETURN k.key AS key, k.type AS type, k.documents AS documents, COUNT { (k)<-[:OF_KEY]-() } AS values
ORDER BY key, type

// -- corpus/delete_keys
// Delete the metadata keys, after their values.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)
CALL (k) { DETACH DELETE k } IN TRANSACTIONS OF 1000 ROWS

// -- corpus/delete_values
// Delete metadata values without documents. Some keys have a million values, so it commits in batches.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)<-[:OF_KEY]-(v:MetadataValue:{{corpus}})
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- corpus/part_values
// Detach all documents from their metadata values. A value may have a million documents, so it commits in batches.
// Parameters: none
// Rows: none
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
CALL (d) { MATCH (d)-[tie:HAS_VALUE]->(:Overstory:MetadataValue) DELETE tie } IN TRANSACTIONS OF 1000 ROWS
