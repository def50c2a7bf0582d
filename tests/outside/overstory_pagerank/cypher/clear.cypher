// Deletes the names that stand for some entities, with their relations and texts.
// Parameters: $ids LIST<STRING> (of entities), $partly LIST<STRING> (those of which only the text is deleted)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[:STANDS_FOR]-(n:{{corpus}}_PagerankName)
OPTIONAL MATCH (n)-[:HAS_TEXT]->(t:{{corpus}}_PagerankText)
DETACH DELETE t
WITH n, id WHERE NOT id IN $partly
DETACH DELETE n
