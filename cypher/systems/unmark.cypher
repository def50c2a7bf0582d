// Takes the properties of an index off the units that it has read; commits as it goes.
// Parameters: $mark STRING (the property of those that it has read); $properties LIST<STRING> (that and others)
// Rows: none
MATCH (n:{{label}}) WHERE n[$mark] IS NOT NULL
CALL (n) {
  UNWIND $properties AS property
  REMOVE n[property]
} IN TRANSACTIONS OF 10000 ROWS
