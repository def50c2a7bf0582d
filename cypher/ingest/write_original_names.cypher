// Keeps what was found in chunks before names were edited by hand, in place of what was kept before.
// Parameters: $by STRING; $rows LIST<MAP {chunk, found STRING (JSON); keys LIST<STRING> (of the edited names)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MERGE (o:Overstory {id: row.chunk + ' ' + $by})
ON CREATE SET o:OriginalNames:$($corpus):$($corpus + '_OriginalNames'):OfChunk, o.corpus = $corpus, o.by = $by
SET o.keys = row.keys, o.found = row.found
MERGE (o)-[:OF]->(c)
