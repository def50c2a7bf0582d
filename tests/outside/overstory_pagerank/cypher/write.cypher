// Writes names and texts on them. A text goes with its name, and with the first of the passages that it stands on.
// Parameters: $label STRING; $rows LIST<MAP {id, entity STRING; chunks LIST<STRING> (ids; none without a text); text STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity}) WHERE e:{{corpus}}_Entity
MERGE (n:Overstory {id: row.id})
SET n:PagerankName:{{corpus}}:{{corpus}}_PagerankName:OfEntity, n.corpus = $label
MERGE (n)-[:STANDS_FOR]->(e)
WITH n, row WHERE size(row.chunks) > 0
MERGE (t:Overstory {id: row.id + '-text'})
SET t:PagerankText:{{corpus}}:{{corpus}}_PagerankText:OfChunk:Shared, t.corpus = $label, t.text = row.text
MERGE (n)-[:HAS_TEXT]->(t)
WITH t, row
UNWIND row.chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:{{corpus}}_Chunk
MERGE (t)-[:STANDS_ON]->(c)
