// The words of a corpus' chunks. Of its own for each corpus, so that none moves another's scores.
// Parameters: $analyzer STRING (a name from db.index.fulltext.listAvailableAnalyzers)
// Rows: none
CREATE FULLTEXT INDEX overstory_text_{{corpus}} IF NOT EXISTS
FOR (c:{{corpus}}_Chunk) ON EACH [c.title, c.heading, c.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
