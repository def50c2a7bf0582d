// Writes reports of communities, with the passages that they stand on.
// Parameters: $rows LIST<MAP {id STRING; properties MAP; chunks LIST<STRING> (ids)}>; $labels LIST<STRING>
// Rows: none
UNWIND $rows AS row
MERGE (r:Overstory {id: row.id})
SET r += row.properties, r:$($corpus):$($corpus + '_Derived'):OfChunk, r:$($labels)
WITH r, row
UNWIND range(0, size(row.chunks) - 1) AS position
MATCH (c:Overstory {id: row.chunks[position]}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (r)-[s:STANDS_ON]->(c)
SET s.position = position
