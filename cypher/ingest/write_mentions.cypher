// Writes mentions, which must not be there yet.
// Parameters: $by STRING; $rows LIST<MAP {chunk, entity STRING; sentences LIST<INTEGER>; surfaces, types LIST<STRING>}>
//   surfaces are the words of the text, types what they were taken for, sentences where they stand (one for each, or
//   none at all where it is not known)
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MATCH (e:Overstory {id: row.entity})
CREATE (c)-[:MENTIONS {by: $by, count: size(row.surfaces), sentences: row.sentences, surfaces: row.surfaces,
  types: row.types}]->(e)
