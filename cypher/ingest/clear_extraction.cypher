// Takes one kind of mentions and statements off chunks, and marks their entities and facts for the link
// stage, entities for the mentions stage too.
// Parameters: $by STRING; $ids LIST<STRING> (chunks)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
SET c.touched = corpus.version + 1
WITH c
CALL (c) {
  MATCH (c)-[mention:MENTIONS {by: $by}]->(entity:Overstory:Entity)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed')
  DELETE mention
}
CALL (c) {
  MATCH (fact:Overstory:Fact)-[statement:STATED_IN {by: $by}]->(c)
  SET fact:$($corpus + '_Stale')
  DELETE statement
}
