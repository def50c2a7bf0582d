// Marks the boilerplate of chunks. Where it is another than before, all stages read the chunk
// again (its vector: `forget_vectors`, which runs before); what was found in it stays until then. One that holds nothing
// else waits for no vector.
// Parameters: $rows LIST<MAP {chunk STRING; spans LIST<INTEGER> or null (none); only, changed BOOLEAN}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
SET c.boilerplate = row.spans
FOREACH (_ IN CASE WHEN row.changed THEN [1] ELSE [] END |
  SET c.touched = corpus.version + 1, c:$($corpus + '_Changed'):$($corpus + '_Unread')
  REMOVE c.extracted
)
FOREACH (_ IN CASE WHEN row.spans IS NULL THEN [] ELSE [1] END | SET c:$($corpus + '_Boilerplate'))
FOREACH (_ IN CASE WHEN row.spans IS NULL THEN [1] ELSE [] END | REMOVE c:$($corpus + '_Boilerplate'))
FOREACH (_ IN CASE WHEN row.only THEN [1] ELSE [] END |
  SET c:BoilerplateOnly:$($corpus + '_BoilerplateOnly')
  REMOVE c:$($corpus + '_Unembedded')
)
FOREACH (_ IN CASE WHEN row.only THEN [] ELSE [1] END | REMOVE c:BoilerplateOnly:$($corpus + '_BoilerplateOnly'))
WITH corpus, c, row WHERE row.changed
MATCH (c)-[:PART_OF]->(d:Overstory:Document)
SET d.touched = corpus.version + 1 // for systems that read whole documents
