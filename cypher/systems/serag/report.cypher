// What SeRAG's index of a corpus holds.
// Parameters: $generation INTEGER
// Rows: nodes, links INTEGER; one
CALL () { MATCH (t:{{corpus}}_SeragNode) WHERE t.generation = $generation RETURN count(t) AS nodes }
CALL () { MATCH (:{{corpus}}_Chunk)-[l:LINKED]->() RETURN count(l) AS links }
RETURN nodes, links
