// -- schema/begin_index_sets
// The sets of full-text indexes that are to be looked at: those that somebody began to create or gave back, or else new
// ones, as many as there are, within limits.
// Parameters: $least, $most INTEGER (new ones)
// Rows: number INTEGER; ordered
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // locks: one process at a time counts them
WITH meta, meta.index_sets AS sets, COUNT { (begun:Overstory:IndexSet) WHERE NOT begun.ready } AS begun
WITH meta, sets, CASE
  WHEN begun > 0 THEN 0
  WHEN sets < $least THEN $least
  WHEN sets > $most THEN $most
  ELSE sets
END AS new
SET meta.index_sets = sets + new
FOREACH (number IN range(sets + 1, sets + new) |
  CREATE (:Overstory:IndexSet {id: 'index-set-' + number, number: number, ready: false})
)
WITH DISTINCT 1 AS one
MATCH (indexes:Overstory:IndexSet) WHERE NOT indexes.ready
RETURN indexes.number AS number ORDER BY number

// -- schema/chunk_text_index
// Makes the full-text index of a set over the words of chunks. One corpus has it at a time, so that none moves another's
// scores.
// Parameters: $name STRING; $analyzer STRING (a name from db.index.fulltext.listAvailableAnalyzers)
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.title, c.heading, c.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}

// -- schema/finish_index_sets
// Lets corpora have sets of full-text indexes, which are online.
// Parameters: $numbers LIST<INTEGER>
// Rows: none
UNWIND $numbers AS number
MATCH (indexes:Overstory {id: 'index-set-' + number})
SET indexes.ready = true

// -- schema/section_word_index
// Makes the full-text index of a set over the words of sections, which the first chunk of each has, and of titles and
// headings above them. They are stems already.
// Parameters: $name STRING
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.section_words, c.title_words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
