// Where documents state facts.
// Parameters: $facts LIST<LIST<STRING>> (ids of a document and of an edge)
// Rows: found LIST<LIST> (those ids; of a chunk that states it its id, place in the document, text and first characters of
//   sentences; number of the sentence or −1); documents LIST<STRING> (ids of those that are there); one
CALL () {
  UNWIND $facts AS fact
  MATCH (d:Overstory {id: fact[0]}) WHERE d:Document AND d.corpus = $corpus
  RETURN collect(DISTINCT d.id) AS documents
}
CALL () {
  UNWIND $facts AS fact
  MATCH (d:Overstory {id: fact[0]}) WHERE d:Document AND d.corpus = $corpus
  MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)<-[:PART_OF]-(:Overstory:AprRun)-[has:HAS_EDGE]->(e:Overstory:AprEdge)
  WHERE e.id = fact[1]
  RETURN collect([fact[0], fact[1], c.id, c.seq, c.text, coalesce(c.sentences, [0]), has.sentence]) AS found
}
RETURN found, documents
