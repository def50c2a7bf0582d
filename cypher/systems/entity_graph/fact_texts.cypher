// The texts of some facts by OpenIE triples.
// Parameters: $rows LIST<MAP {chunk STRING (id); positions LIST<INTEGER> (of the statements)}>
// Rows: chunk, text STRING; position INTEGER; in no particular order
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk, corpus: $corpus})<-[s:STATED_IN {by: 'openie'}]-(f:Overstory:Fact) WHERE s.position IN row.positions
RETURN c.id AS chunk, s.position AS position, f.text AS text
