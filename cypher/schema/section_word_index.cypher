// Makes the full-text index of a set over the words of sections, which the first chunk of each has, and of titles and
// headings above them. They are stems already.
// Parameters: $name STRING
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.section_words, c.title_words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
