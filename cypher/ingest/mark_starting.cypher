// Marks the chunks in which some names may begin for the mentions stage.
// Parameters: $query STRING (Lucene: the starts, each in quotes)
// Rows: none
CALL db.index.fulltext.queryNodes('overstory_name_starts', '+corpus:' + $corpus + ' +name_starts:(' + $query + ')')
YIELD node AS c
SET c:$($corpus + '_Changed')
