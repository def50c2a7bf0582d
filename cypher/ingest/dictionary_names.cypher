// Those of some names that the mentions stage last looked for in all texts.
// Parameters: $ids LIST<STRING> (entities)
// Rows: key STRING; subject BOOLEAN (a chunk was about it)
UNWIND $ids AS id
MATCH (e:Overstory {id: id})
WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL AND NOT coalesce(e.common, false)
RETURN e.key AS key, coalesce(e.subject, false) AS subject
