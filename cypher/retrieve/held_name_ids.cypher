// The ids of all names of the dictionary.
// Parameters: none
// Rows: id STRING (of an entity)
MATCH (e:{{corpus}}_Entity) WHERE e.dictionary_df IS NOT NULL
RETURN e.id AS id
