// -- corpus/metadata_values
// The values of a key of metadata that most documents have. Looks at each value of the key, not at documents.
// Parameters: $key STRING (id of the key); $limit INTEGER
// Rows: text STRING, number INTEGER or FLOAT, date DATETIME, boolean BOOLEAN, all but one null; cut BOOLEAN (the text is the
//   beginning of a longer one); documents INTEGER (how many have it); most documents first
MATCH (k:Overstory {id: $key}) WHERE k:MetadataKey AND k.corpus = $corpus
MATCH (k)<-[:OF_KEY]-(v:Overstory:MetadataValue)
WITH v, COUNT { (v)<-[:HAS_VALUE]-() } AS documents
ORDER BY documents DESC, v.text, v.number, v.date, v.boolean LIMIT $limit
RETURN v.text AS text, v.number AS number, v.date AS date, v.boolean AS boolean, coalesce(v.cut, false) AS cut, documents

// -- corpus/metadata_first_dates
// The first values of the type date of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
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
// The first values of the type number of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
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
// The first values of the type text of some keys of metadata, and the last one.
// Parameters: $keys LIST<STRING>; $limit INTEGER (of the first)
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
// The keys of metadata by type, and how many documents and distinct values each has. Values are counted by degree.
// Parameters: none
// Rows: key, type STRING; documents, values INTEGER; ordered by key and type
MATCH (k:{{corpus}}_MetadataKey)
RETURN k.key AS key, k.type AS type, k.documents AS documents, COUNT { (k)<-[:OF_KEY]-() } AS values
ORDER BY key, type

// -- corpus/delete_keys
// Deletes the keys of metadata, whose values are gone.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)
CALL (k) { DETACH DELETE k } IN TRANSACTIONS OF 1000 ROWS

// -- corpus/delete_values
// Deletes the values of metadata, which no document is tied to any more; some keys have a million. Commits as it goes.
// Parameters: none
// Rows: none
MATCH (k:{{corpus}}_MetadataKey)<-[:OF_KEY]-(v:MetadataValue:{{corpus}})
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- corpus/part_values
// Parts all documents from the values of their metadata, some of which a million documents share; commits as it goes.
// Parameters: none
// Rows: none
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
CALL (d) { MATCH (d)-[tie:HAS_VALUE]->(:Overstory:MetadataValue) DELETE tie } IN TRANSACTIONS OF 1000 ROWS
