// Some names, to be shown.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING; type STRING or null; passages INTEGER (that mention it)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e.corpus = $corpus
RETURN id, e.name AS name, e.type AS type, coalesce(e.df, 0) AS passages
