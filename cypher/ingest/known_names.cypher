// The names that the mentions stage last looked for.
// Parameters: none
// Rows: key STRING; subject BOOLEAN (a chunk was about it)
MATCH (e:Entity:{{corpus}}) WHERE e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false)
RETURN e.key AS key, coalesce(e.subject, false) AS subject
