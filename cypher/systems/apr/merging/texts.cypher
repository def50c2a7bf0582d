// The texts of all symbols of entities.
// Parameters: none
// Rows: id, text STRING; unmerged BOOLEAN (whether it was compared with no other)
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
RETURN s.id AS id, s.text AS text, $corpus + '_AprUnmerged' IN labels(s) AS unmerged
