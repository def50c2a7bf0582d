// Notes which links documents have now.
// Parameters: $rows LIST<MAP {document STRING (id); links_sha256 STRING or null; links INTEGER or null}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document}) WHERE d:Document AND d.corpus = $corpus
SET d.links_sha256 = row.links_sha256, d.links = row.links, d.touched = corpus.version + 1
