// The names that changed since a version of a corpus, in themselves or in what mentions them or is about them, and those
// that the mentions stage has yet to look at: what mentions these changes before they do.
// Parameters: $version INTEGER
// Rows: id STRING (of an entity); one may come twice
MATCH (n:Overstory)
USING INDEX SEEK n:Overstory(corpus, touched)
WHERE n.corpus = $corpus AND n.touched > $version AND n:Entity
RETURN n.id AS id
UNION ALL
MATCH (n:{{corpus}}_Changed) WHERE n:Entity
RETURN n.id AS id
