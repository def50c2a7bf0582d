// How much there is for stages that mark what they have to do. From the counts that the server keeps.
// Parameters: none
// Rows: documents, unread (chunks that no extractor has read), stale (for the entities stage) INTEGER; one
CALL () { MATCH (n:{{corpus}}_Document) RETURN count(n) AS documents }
CALL () { MATCH (n:{{corpus}}_Unread) RETURN count(n) AS unread }
CALL () { MATCH (n:{{corpus}}_Stale) RETURN count(n) AS stale }
CALL () { MATCH (n:{{corpus}}_Renamed) RETURN count(n) AS renamed }
RETURN documents, unread, stale + renamed AS stale
