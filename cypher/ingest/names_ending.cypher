// The names of two words or more that end so. A name may be there more than once.
// Parameters: $rows LIST<MAP {start, within STRING (the end of a name, its last character first; what it also contains, where
//   its beginning counts as preceded by a space); least, most INTEGER (characters)}>
// Rows: key STRING
UNWIND $rows AS row
MATCH (e:Overstory {corpus: $corpus})
USING INDEX SEEK e:Overstory(corpus, backwards)
WHERE e.backwards STARTS WITH row.start
  AND row.least <= size(e.backwards) <= row.most AND reverse(e.backwards + ' ') CONTAINS row.within
RETURN reverse(e.backwards) AS key
