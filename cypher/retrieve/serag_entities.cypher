// What some chunks mention.
// Parameters: $ids LIST<STRING> (chunks)
// Rows: id, key, name STRING; chunks LIST<LIST> (id, how often it says the name)
UNWIND $ids AS chunk
MATCH (c:Overstory {id: chunk})-[m:MENTIONS]->(e:Entity:{{corpus}}) WHERE m.count > 0
WITH e, chunk, max(m.count) AS count
RETURN e.id AS id, e.key AS key, e.name AS name, collect([chunk, count]) AS chunks
