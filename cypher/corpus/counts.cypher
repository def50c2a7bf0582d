// How much of what a corpus holds. What the dictionary finds again of the names is not counted as mentions.
// Parameters: none
// Rows: documents, chunks, unread (by an extractor), entities, facts, mentions, stale INTEGER; one
CALL () { MATCH (n:{{corpus}}_Document) RETURN count(n) AS documents }
CALL () { MATCH (n:{{corpus}}_Chunk) RETURN count(n) AS chunks }
CALL () { MATCH (n:{{corpus}}_Unread) RETURN count(n) AS unread }
CALL () { MATCH (n:Entity:{{corpus}}) RETURN count(n) AS entities }
CALL () { MATCH (n:Fact:{{corpus}}) RETURN count(n) AS facts }
CALL () { MATCH (:{{corpus}}_Chunk)-[m:MENTIONS]->(:Overstory) WHERE m.by <> 'dictionary' RETURN count(m) AS mentions }
CALL () { MATCH (n:{{corpus}}_Stale|{{corpus}}_Renamed) RETURN count(n) AS stale }
RETURN documents, chunks, unread, entities, facts, mentions, stale
