// How much the mentions stage has to look at.
// Parameters: none
// Rows: chunks, entities (of the corpus), changed (nodes that came or changed since it last ran), changed_chunks (of these)
//   INTEGER; one
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
CALL () { MATCH (n:{{corpus}}_Changed) RETURN count(n) AS changed }
CALL () { MATCH (c:{{corpus}}_Changed) WHERE c:Chunk RETURN count(c) AS changed_chunks }
CALL () { MATCH (e:{{corpus}}_Entity) RETURN count(e) AS entities }
RETURN chunks, changed, changed_chunks, entities
