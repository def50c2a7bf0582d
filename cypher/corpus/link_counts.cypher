// How many links lead from documents to documents, and how many to documents that are not stored. From the counts that the
// server keeps.
// Parameters: none
// Rows: links, unresolved INTEGER; one
CALL () { MATCH (:{{corpus}}_Document)-[l:LINKS]->() RETURN count(l) AS all }
CALL () { MATCH (:{{corpus}}_MissingDocument)<-[l:LINKS]-() RETURN count(l) AS unresolved }
RETURN all - unresolved AS links, unresolved
