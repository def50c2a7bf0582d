// The relationships of some entities with others, of all layers.
// Parameters: $ids LIST<STRING>
// Rows: type STRING; source, target STRING (refs); properties MAP; each once
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-(other:Overstory:HiragEntity)
WHERE e:HiragEntity AND e.corpus = $corpus
WITH DISTINCT r
RETURN type(r) AS type, startNode(r).ref AS source, endNode(r).ref AS target, properties(r) AS properties
