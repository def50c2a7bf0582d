// Relates names by the entities that they stand for.
// Parameters: $rows LIST<MAP {source, target STRING (ids); weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (:Overstory {id: row.source})<-[:STANDS_FOR]-(a:{{corpus}}_PagerankName)
MATCH (:Overstory {id: row.target})<-[:STANDS_FOR]-(b:{{corpus}}_PagerankName)
MERGE (a)-[r:RELATED_NAME]->(b)
SET r.weight = row.weight
