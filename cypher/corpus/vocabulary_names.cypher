// The names of a corpus' vocabularies, in the order in which they apply.
// Parameters: none
// Rows: source, key, name STRING; type STRING ("" where none is given); aliases LIST<STRING>
MATCH (v:VocabularyName:{{corpus}})
RETURN v.source AS source, v.key AS key, v.name AS name, v.type AS type, v.aliases AS aliases ORDER BY source, key
