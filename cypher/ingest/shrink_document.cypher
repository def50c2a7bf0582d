// Notes that some chunks of a document are about to be deleted in a transaction of their own: until it is deleted or loaded
// again, the document is not the one that was loaded.
// Parameters: $id STRING; $chunks INTEGER (how many)
// Rows: none
MATCH (d:Overstory {id: $id}) WHERE d:Document AND d.corpus = $corpus
SET d.sha256 = '', d.chunks = d.chunks - $chunks
REMOVE d.content_sha256
