// The symbols of entities that stand for themselves, with their vectors.
// Parameters: none
// Rows: id, text STRING; vector LIST<FLOAT>; in the order of the ids
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprAlias' IN labels(s)
RETURN s.id AS id, s.text AS text, s.embedding AS vector ORDER BY id
