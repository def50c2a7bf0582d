// Counts the chunks of a stored document, of which a part was just written.
// Parameters: $id STRING
// Rows: none
MATCH (corpus:Corpus:{{corpus}})
MATCH (d:Overstory {id: $id}) WHERE d:{{corpus}}_Document
SET d.chunks = COUNT { (d)<-[:PART_OF]-() }, d.touched = corpus.version + 1
