// Joins remembered questions to the symbols that the codebook has of theirs; commits as it goes.
// Parameters: none
// Rows: none
MATCH (q:{{corpus}}_AprQuestion)
WHERE COUNT { (q)-[:ASKS]->(:AprSymbol:{{corpus}}) } < size(coalesce(q.symbols, []))
CALL (q) {
  UNWIND q.symbols AS id
  MATCH (s:Overstory {id: id}) WHERE s:{{corpus}}_AprSymbol
  MERGE (q)-[:ASKS]->(s)
} IN TRANSACTIONS OF 500 ROWS
