// Marks all symbols of entities as such that were compared with no other; commits as it goes.
// Parameters: none
// Rows: none
MATCH (s:Overstory:AprEntity {corpus: $corpus})
USING INDEX SEEK s:AprEntity(corpus)
WHERE NOT $corpus + '_AprUnmerged' IN labels(s)
CALL (s) {
  SET s:$($corpus + '_AprUnmerged')
} IN TRANSACTIONS OF 10000 ROWS
