// The names of two words or more that begin so. A name may be there more than once.
// Parameters: $rows LIST<MAP {start, within STRING (what a name begins with; what it also contains, where its beginning
//   counts as preceded by a space); least, most INTEGER (characters)}>
// Rows: key STRING
UNWIND $rows AS row
MATCH (e:Overstory {corpus: $corpus})
USING INDEX SEEK e:Overstory(corpus, key, backwards)
WHERE e.key STARTS WITH row.start AND e.backwards IS NOT NULL
  AND row.least <= size(e.key) <= row.most AND ' ' + e.key CONTAINS row.within
RETURN e.key AS key
