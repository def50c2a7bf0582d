// How many links lead from documents to documents, and how many to documents that are not stored.
// Parameters: none
// Rows: links, unresolved INTEGER; one
CALL () { MATCH (d:{{corpus}}_Document) WHERE d.links > 0 RETURN coalesce(sum(d.links), 0) AS all }
CALL () { MATCH (:{{corpus}}_MissingDocument)<-[l:LINKS]-(:Overstory) RETURN count(l) AS unresolved }
RETURN all - unresolved AS links, unresolved
