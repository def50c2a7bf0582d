// Marks the chunks in which some names may begin for the mentions stage.
// Parameters: $index STRING (over name_starts); $query STRING (Lucene: the starts, each in quotes)
// Rows: none
CALL db.index.fulltext.queryNodes($index, $query) YIELD node AS c
WITH c WHERE c:Chunk AND c.corpus = $corpus
SET c:$($corpus + '_Changed')
