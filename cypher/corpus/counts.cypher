// How much of what a corpus holds. Chunks of a document that is not written to its end are not counted. What the dictionary
// finds again of the names is not counted as mentions; for that, it looks at every name. After a deletion the names are
// behind until the next index, and so may be what is subtracted.
// Parameters: none
// Rows: documents, chunks, entities, facts, mentions INTEGER; one
CALL () { MATCH (n:{{corpus}}_Document) RETURN count(n) AS documents }
CALL () { MATCH (n:{{corpus}}_Chunk) RETURN count(n) AS every }
CALL () {
  OPTIONAL MATCH (corpus:Corpus:{{corpus}}) // a corpus that was just deleted has none
  OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
  RETURN CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS unfinished
}
CALL () { MATCH (n:{{corpus}}_Entity) RETURN count(n) AS entities, sum(n.said_in) AS again }
CALL () { MATCH (n:Fact:{{corpus}}) RETURN count(n) AS facts }
CALL () { MATCH (:{{corpus}}_Chunk)-[m:MENTIONS]->() RETURN count(m) AS all }
RETURN documents, every - unfinished AS chunks, entities, facts,
  CASE WHEN all > again THEN all - again ELSE 0 END AS mentions
