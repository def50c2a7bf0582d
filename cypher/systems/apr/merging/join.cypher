// Gives symbols that have no representative one.
// Parameters: $rows LIST<MAP {id, representative STRING; cosine FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (s:Overstory {id: row.id}) WHERE s:{{corpus}}_AprEntity
MATCH (representative:Overstory {id: row.representative}) WHERE representative:{{corpus}}_AprEntity
CREATE (s)-[:ALIAS_OF {cosine: row.cosine}]->(representative)
SET s:{{corpus}}_AprAlias, representative:{{corpus}}_AprRepresentative
