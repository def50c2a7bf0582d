// Writes edges between symbols that are there; an edge that is there stays as it is.
// Parameters: $rows LIST<MAP {id, head, relation, tail STRING (words); vector BYTES (float16);
//   symbols LIST<STRING> (ids of the head, the relation and the tail)}>
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
ON CREATE SET e:AprEdge:$($corpus):$($corpus + '_AprEdge'):Shared, e.corpus = $corpus, e.head = row.head,
  e.relation = row.relation, e.tail = row.tail, e.vector = row.vector
WITH e, row WHERE NOT EXISTS { (e)-[:HEAD]->() }
MATCH (h:Overstory {id: row.symbols[0], corpus: $corpus})
MATCH (r:Overstory {id: row.symbols[1], corpus: $corpus})
MATCH (t:Overstory {id: row.symbols[2], corpus: $corpus})
CREATE (e)-[:HEAD]->(h), (e)-[:RELATION]->(r), (e)-[:TAIL]->(t)
