// Of some names those that may become entities of a graph, as in `entities`.
// Parameters: $ids LIST<STRING>
// Rows: id, key, name, type STRING; df INTEGER; in no particular order
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  AND e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact) })
RETURN e.id AS id, e.key AS key, e.name AS name, coalesce(e.type, '') AS type, e.df AS df
