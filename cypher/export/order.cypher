// Which chunk of a document follows which.
// Parameters: none
// Rows: document STRING; first, second INTEGER (places in the document)
MATCH (a:Overstory {corpus: $corpus})-[:NEXT]->(b:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK a:Overstory(corpus, id, token_count)
WHERE a.id > '' AND a.token_count IS NOT NULL
RETURN d.source + ' ' + d.source_key AS document, a.seq AS first, b.seq AS second
