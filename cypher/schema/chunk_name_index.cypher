// What names may begin with in the chunks of a corpus, to find those in which a new name stands.
// Parameters: none
// Rows: none
CREATE FULLTEXT INDEX overstory_names_{{corpus}} IF NOT EXISTS
FOR (c:{{corpus}}_Chunk) ON EACH [c.name_starts]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
