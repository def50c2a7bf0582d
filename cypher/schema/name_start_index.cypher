// What names may begin with in chunks, to find those in which a new name stands. It is not scored, so it is one for all
// corpora.
// Parameters: none
// Rows: none
CREATE FULLTEXT INDEX overstory_name_starts IF NOT EXISTS
FOR (c:Chunk) ON EACH [c.corpus, c.name_starts]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
