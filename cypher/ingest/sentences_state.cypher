// How many chunks the sentences stage has to look at, if the corpus has sentence vectors, and how many vectors there are.
// Parameters: none
// Rows: chunks, pending, sentences INTEGER; one
CALL () {
  MATCH (c:{{corpus}}_Chunk)
  RETURN count(c) AS chunks, count(c) - count(c.sentence_vectors) AS pending
}
CALL () { MATCH (s:{{corpus}}_Sentence) RETURN count(s) AS sentences }
RETURN chunks, pending, sentences
