// Locks chunks until the end of the transaction, so that none is deleted before it.
// Parameters: $chunks LIST<STRING> (ids, in order, so that no two transactions wait for each other)
// Rows: chunks LIST<STRING> (those that are there); one
UNWIND $chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.id = c.id
RETURN collect(c.id) AS chunks
