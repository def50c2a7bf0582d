// How near some sentences are to a question, as far as they have a vector that is up to date.
// Parameters: $vector LIST<FLOAT>; $places LIST<LIST> (the id of a chunk, and places of sentences in it)
// Rows: cosines LIST<LIST> (the id of a chunk, the place of a sentence, -1 to 1); one
UNWIND $places AS place
MATCH (c:Overstory {id: place[0]}) WHERE c.sentence_vectors > 0
MATCH (c)<-[:PART_OF]-(s:{{corpus}}_Sentence) WHERE s.seq IN place[1]
RETURN collect([place[0], s.seq, 2 * vector.similarity.cosine(s.embedding, $vector) - 1]) AS cosines
