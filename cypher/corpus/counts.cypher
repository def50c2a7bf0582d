// How much of what a corpus holds. Chunks of a document that is not written to its end are not counted. What the dictionary
// finds again of the names is not counted as mentions; for that, it looks at every name. After a deletion the names are
// behind until the next index, and so may be what is subtracted.
// Parameters: none
// Rows: documents, chunks, entities, facts, mentions INTEGER; one
OPTIONAL MATCH (corpus:Overstory:Corpus {id: $corpus}) // one that was just deleted has no node
OPTIONAL MATCH (d:Overstory {id: corpus.unfinished})
WITH CASE WHEN d IS NULL THEN 0 ELSE COUNT { (d)<-[:PART_OF]-() } END AS unfinished,
  COUNT { (:{{corpus}}_Chunk)-[:MENTIONS]->() } AS all
OPTIONAL MATCH (e:{{corpus}}_Entity)
WITH unfinished, all, count(e) AS entities, sum(e.said_in) AS again
RETURN COUNT { (:{{corpus}}_Document) } AS documents, COUNT { (:{{corpus}}_Chunk) } - unfinished AS chunks, entities,
  COUNT { (:Fact:{{corpus}}) } AS facts, CASE WHEN all > again THEN all - again ELSE 0 END AS mentions
