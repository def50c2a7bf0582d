// Counts the chunks of a stored document, of which a part was just written.
// Parameters: $id STRING
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
MATCH (d:Overstory {id: $id}) WHERE d:Document AND d.corpus = $corpus
SET d.chunks = COUNT { (d)<-[:PART_OF]-() }, d.touched = corpus.version + 1
