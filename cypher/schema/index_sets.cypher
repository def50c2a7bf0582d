// -- schema/begin_index_sets
// List the sets of full-text indexes to check: sets whose creation was interrupted or that were returned. If there are
// none, create as many new ones as exist, within limits.
// Parameters: $least, $most INTEGER (of new sets)
// Rows: number INTEGER; ordered
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // lock: one process at a time counts the sets
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
// Create the full-text index of a set over the words of chunks. One corpus at a time uses a set, so that corpora do not
// affect each other's scores.
// Parameters: $name STRING; $analyzer STRING (a name from db.index.fulltext.listAvailableAnalyzers)
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.title, c.heading, c.text]
OPTIONS {indexConfig: {`fulltext.analyzer`: $analyzer}}

// -- schema/finish_index_sets
// Make sets of full-text indexes available to corpora, after the indexes are online.
// Parameters: $numbers LIST<INTEGER>
// Rows: none
UNWIND $numbers AS number
MATCH (indexes:Overstory {id: 'index-set-' + number})
SET indexes.ready = true

// -- schema/section_word_index
// Create the full-text index of a set over the stems of sections (in the first chunk of each), titles and headings.
// Parameters: $name STRING
// Rows: none
CREATE FULLTEXT INDEX $name IF NOT EXISTS
FOR (c:{{label}}) ON EACH [c.section_words, c.title_words]
OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace'}}
