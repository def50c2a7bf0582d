// The units of one kind that changed since an index read them, or are new.
// Parameters: $label STRING (of the corpus); $unit STRING (the label of the units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since; null for all
//   units)
// Rows: id STRING
MATCH (n:Overstory)
WHERE n.corpus = $label AND n.touched > $read_to AND $unit IN labels(n) AND coalesce(n[$mark], -1) < n.touched
RETURN n.id AS id
