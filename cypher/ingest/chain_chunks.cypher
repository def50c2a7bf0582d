// Puts chunks in reading order.
// Parameters: $pairs LIST<LIST<STRING>> (ids of a chunk and its successor)
// Rows: none
UNWIND $pairs AS pair
MATCH (a:Overstory {id: pair[0]})
MATCH (b:Overstory {id: pair[1]})
MERGE (a)-[:NEXT]->(b)
