// Writes documents, each with all of its properties. What is known of their links stays: links are written later. One that
// is disabled stays so.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MERGE (d:Overstory {id: row.id})
WITH corpus, row, d, d.links AS links, d.links_sha256 AS links_sha256, d.disabled AS disabled
SET d = row.properties, d.links = links, d.links_sha256 = links_sha256, d.disabled = disabled, d.touched = corpus.version + 1,
  d:Document:$($corpus):$($corpus + '_Document')
MERGE (d)-[:IN]->(corpus)
