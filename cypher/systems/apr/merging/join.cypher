// Gives symbols that have no representative one.
// Parameters: $rows LIST<MAP {id, representative STRING; cosine FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (s:Overstory {id: row.id}) WHERE s:AprEntity AND s.corpus = $corpus
MATCH (representative:Overstory {id: row.representative}) WHERE representative:AprEntity AND representative.corpus = $corpus
CREATE (s)-[:ALIAS_OF {cosine: row.cosine}]->(representative)
SET s:$($corpus + '_AprAlias'), representative:$($corpus + '_AprRepresentative')
