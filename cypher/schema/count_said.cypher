// Counts the chunks in which the dictionary finds each name, where an earlier version wrote them; commits as it goes.
// Parameters: none
// Rows: none
MATCH (e:Overstory&Entity)
CALL (e) {
  SET e.said_in = COUNT { (e)<-[:MENTIONS {by: 'dictionary'}]-(:Overstory) }
} IN TRANSACTIONS OF 10000 ROWS
