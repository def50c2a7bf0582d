// The words of sections, which the first chunk of each has, and of titles and headings above them. They are stems already.
// Parameters: none
// Rows: none
CREATE FULLTEXT INDEX overstory_words_{{corpus}} IF NOT EXISTS
FOR (c:{{corpus}}_Chunk) ON EACH [c.section_words, c.title_words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
