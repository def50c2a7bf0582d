// -- systems/pagerank/clear
// Deletes the names that stand for some entities, with their relations and texts.
// Parameters: $ids LIST<STRING> (of entities), $partly LIST<STRING> (those of which only the text is deleted)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[:STANDS_FOR]-(n:{{corpus}}_PagerankName)
OPTIONAL MATCH (n)-[:HAS_TEXT]->(t:{{corpus}}_PagerankText)
DETACH DELETE t
WITH n, id WHERE NOT id IN $partly
DETACH DELETE n

// -- systems/pagerank/graph
// Names with the ends of their edges: names to which a relation leads, and passages that mention them.
// Parameters: none
// Rows: id STRING (of an entity); edges LIST<LIST> (the id of an entity or a passage, the weight)
MATCH (n:{{corpus}}_PagerankName)-[:STANDS_FOR]->(e)
RETURN e.id AS id,
  COLLECT { MATCH (n)-[r:RELATED_NAME]->()-[:STANDS_FOR]->(other) RETURN [other.id, r.weight] } +
  COLLECT { MATCH (e)<-[:MENTIONS]-(c:{{corpus}}_Chunk) RETURN DISTINCT [c.id, 1.0] } AS edges

// -- systems/pagerank/relate
// Relates names by the entities that they stand for.
// Parameters: $rows LIST<MAP {source, target STRING (ids); weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (:Overstory {id: row.source})<-[:STANDS_FOR]-(a:{{corpus}}_PagerankName)
MATCH (:Overstory {id: row.target})<-[:STANDS_FOR]-(b:{{corpus}}_PagerankName)
MERGE (a)-[r:RELATED_NAME]->(b)
SET r.weight = row.weight

// -- systems/pagerank/texts
// The texts on the names of some entities.
// Parameters: $ids LIST<STRING>
// Rows: texts LIST<LIST> (the id of an entity, the text, the ids of its passages, those of their documents), in their order; one
UNWIND range(0, size($ids) - 1) AS at
MATCH (:Overstory {id: $ids[at]})<-[:STANDS_FOR]-(:{{corpus}}_PagerankName)-[:HAS_TEXT]->(t)-[:STANDS_ON]->(c)-[:PART_OF]->(d:{{corpus}}_Document)
WITH at, t, c, d ORDER BY at, c.id
WITH at, t, collect(c.id) AS chunks, collect(DISTINCT d.id) AS documents ORDER BY at
RETURN collect([$ids[at], t.text, chunks, documents]) AS texts

// -- systems/pagerank/write
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
