// The units of one kind that changed since an index read them, or are new.
// A second inequality of `touched` would keep the planner from the index.
// Parameters: $unit STRING (the label of the units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since; null for all
//   units)
// Rows: id STRING
MATCH (n:Overstory)
USING INDEX SEEK n:Overstory(corpus, touched)
WHERE n.corpus = $corpus AND n.touched > $read_to AND $unit IN labels(n) AND (n[$mark] IS NULL OR n[$mark] <> n.touched)
RETURN n.id AS id
