// Says of each block of some folders whether it is boilerplate, and takes the mark off the folders. Blocks that few
// documents have left are untied, and what nothing has any more is deleted.
// Parameters: $ids LIST<STRING>; $keep, $least, $share as ingest/stale_folders takes them
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id})
REMOVE f:$($corpus + '_BoilerplateStale')
WITH f
CALL (f) {
  MATCH (f)<-[r:REPEATED_IN]-(b:Overstory:Block)
  WITH r, b, NOT $keep AND b.documents >= $least AND b.documents > $share * f.documents AS boilerplate
  WHERE boilerplate <> b.boilerplate OR b.documents < $least
  SET b.boilerplate = boilerplate
  WITH r, b WHERE b.documents < $least
  DELETE r
  REMOVE b.boilerplate, b.words
  WITH b WHERE b.documents <= 0
  DELETE b
}
CALL (f) {
  WITH f WHERE f.documents <= 0
  DETACH DELETE f
}
