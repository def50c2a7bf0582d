// Makes the full-text index of a set over the words of chunks. One corpus has it at a time, so that none moves another's
// scores.
// Parameters: $name STRING; $analyzer STRING (a name from db.index.fulltext.listAvailableAnalyzers)
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.title, c.heading, c.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}
