// The order in which a corpus' documents are listed and exported.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_document_{{corpus}} IF NOT EXISTS FOR (d:{{corpus}}_Document) ON (d.id)
