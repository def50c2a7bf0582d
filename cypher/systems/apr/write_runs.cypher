// Writes runs of edges that are there; the chunks must have none yet.
// Parameters: $rows LIST<MAP {id, chunk STRING; seq, size INTEGER; edges LIST<LIST> (id of an edge, number
//   of its sentence or −1; in order)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
CREATE (r:Overstory:AprRun:OfChunk:$($corpus):$($corpus + '_AprRun')
  {id: row.id, corpus: $corpus, seq: row.seq, size: row.size})-[:PART_OF]->(c)
WITH r, row
UNWIND range(0, row.size - 1) AS position
MATCH (e:Overstory {id: row.edges[position][0], corpus: $corpus})
CREATE (r)-[:HAS_EDGE {position: position, sentence: row.edges[position][1]}]->(e)
