// Writes where facts are stated; a statement must not be there yet.
// Parameters: $by STRING; $rows LIST<MAP {fact, chunk, quote STRING; position, sentence INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (f:Overstory {id: row.fact}), (c:Overstory {id: row.chunk})
CREATE (f)-[:STATED_IN {by: $by, position: row.position, sentence: row.sentence, quote: row.quote}]->(c)
