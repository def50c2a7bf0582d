// Writes links to documents that are stored. None of them may be there yet: to look for each among those of the same two
// documents takes time in the square of how many these have.
// Parameters: $rows LIST<MAP {document, target (ids), type, text STRING; weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MATCH (t:Overstory {id: row.target})
CREATE (d)-[:LINKS {type: row.type, text: row.text, weight: row.weight}]->(t)
