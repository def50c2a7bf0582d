// What chunks are about by themselves, before names were edited by hand.
// Parameters: none
// Rows: chunk, found STRING (JSON)
MATCH (c:{{corpus}}_Chunk)<-[:OF]-(o:{{corpus}}_OriginalNames {by: 'about'})
RETURN c.id AS chunk, o.found AS found
