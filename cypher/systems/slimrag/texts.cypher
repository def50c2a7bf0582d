// Some sentences of SlimRAG, to be read.
// Parameters: $ids LIST<STRING>
// Rows: id, chunk, document, text STRING; tokens, chunk_seq, seq INTEGER
UNWIND $ids AS id
MATCH (s:Overstory {id: id})-[:PART_OF]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE s:SlimSentence AND s.corpus = $corpus
RETURN s.id AS id, c.id AS chunk, d.id AS document, s.text AS text,
  s.tokens AS tokens, c.seq AS chunk_seq, s.seq AS seq
