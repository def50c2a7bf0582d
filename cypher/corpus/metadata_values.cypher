// The values of a key of metadata that most documents have. Looks at each value of the key, not at documents.
// Parameters: $key STRING (id of the key); $limit INTEGER
// Rows: text STRING, number INTEGER or FLOAT, date DATETIME, boolean BOOLEAN, all but one null; cut BOOLEAN (the text is the
//   beginning of a longer one); documents INTEGER (how many have it); most documents first
MATCH (k:Overstory {id: $key}) WHERE k:MetadataKey AND k.corpus = $corpus
MATCH (k)<-[:OF_KEY]-(v:Overstory:MetadataValue)
WITH v, COUNT { (v)<-[:HAS_VALUE]-() } AS documents
ORDER BY documents DESC, v.text, v.number, v.date, v.boolean LIMIT $limit
RETURN v.text AS text, v.number AS number, v.date AS date, v.boolean AS boolean, coalesce(v.cut, false) AS cut, documents
