// The names that some chunks mention, whether they lead anywhere in this corpus or not.
// Parameters: $sources LIST<STRING> (ids of chunks)
// Rows: names LIST<LIST> (key; the sources that mention it, each with its first sentence that says it, or -1); one
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity)
WITH e.key AS key, collect([source, coalesce(head(m.sentences), -1)]) AS sources
RETURN collect([key, sources]) AS names
