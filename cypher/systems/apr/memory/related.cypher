// Some remembered questions, as far as they have an answer.
// Parameters: $questions LIST<STRING> (ids)
// Rows: id, text STRING; triples STRING (JSON: LIST of LIST of head, relation and tail)
UNWIND $questions AS question
MATCH (q:Overstory {id: question})
WHERE q:AprQuestion AND q.corpus = $corpus AND EXISTS { (q)<-[:ANSWERS]-(:Overstory:AprAnswer) }
RETURN q.id AS id, q.text AS text, q.triples AS triples
