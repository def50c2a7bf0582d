// What some chunks mention by names that share a word with others.
// Parameters: $ids LIST<STRING> (chunks); $words LIST<STRING> (as keys have them)
// Rows: id, key, name STRING; chunks LIST<LIST> (id, how often it says the name)
UNWIND $ids AS chunk
MATCH (c:Overstory {id: chunk, corpus: $corpus})-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.count > 0
WITH e, chunk, m.count AS times WHERE any(word IN split(e.key, ' ') WHERE word IN $words)
WITH e, chunk, max(times) AS count
RETURN e.id AS id, e.key AS key, e.name AS name, collect([chunk, count]) AS chunks
