// How many units a corpus has, and how many of one kind changed since an index read them, or are new.
// Parameters: $label STRING (of the corpus); $unit STRING (the label of the units); $read_to INTEGER (the version up to
//   which all were read); $mark STRING (the property of those that were read since)
// Rows: document, chunk, entity, pending INTEGER; one
CALL () { MATCH (n:{{corpus}}_Document) RETURN count(n) AS document }
CALL () { MATCH (n:{{corpus}}_Chunk) RETURN count(n) AS chunk }
CALL () { MATCH (n:{{corpus}}_Entity) RETURN count(n) AS entity }
CALL () {
  MATCH (n:Overstory)
  WHERE n.corpus = $label AND n.touched > $read_to AND $unit IN labels(n) AND coalesce(n[$mark], -1) < n.touched
  RETURN count(n) AS pending
}
RETURN document, chunk, entity, pending
