// Joins remembered answers to the edges that they cite, where these were rewritten.
// Parameters: $rows LIST<MAP {id STRING; edges LIST<LIST> (id, position, run)}>
// Rows: none
UNWIND $rows AS row
MATCH (a:Overstory {id: row.id}) WHERE a:AprAnswer AND a.corpus = $corpus
UNWIND row.edges AS edge
MATCH (e:Overstory {id: edge[0]}) WHERE e:AprEdge AND e.corpus = $corpus
MERGE (a)-[has:HAS_EDGE]->(e)
SET has.position = edge[1], has.run = edge[2]
