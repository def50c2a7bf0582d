// Forgets what was found in chunks before names were edited by hand, where no edit concerns it any more.
// Parameters: $by STRING; $ids LIST<STRING> (chunks)
// Rows: none
UNWIND $ids AS id
MATCH (o:Overstory {id: id + ' ' + $by}) WHERE o:OriginalNames AND o.corpus = $corpus
DETACH DELETE o
