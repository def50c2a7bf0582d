// Corpus: its longest documents
// Parameters: none
// Rows: title STRING, passages INTEGER, source, source_key, id STRING; most passages first
MATCH (d:{{corpus}}_Document)
RETURN d.title AS title, d.chunks AS passages, d.source AS source, d.source_key AS source_key, d.id AS id
ORDER BY passages DESC, title, id LIMIT 50
