// -- corpus/dismiss_merge
// Record that two names are different entities, so that merging them is not suggested again.
// Parameters: $id, $first, $second STRING (keys); $name, $into STRING (the names as written)
// Rows: none
MERGE (dismissed:Overstory {id: $id})
ON CREATE SET dismissed:DismissedMerge:$($corpus), dismissed.corpus = $corpus, dismissed.first = $first,
  dismissed.second = $second, dismissed.name = $name, dismissed.into = $into, dismissed.at = datetime()

// -- corpus/dismissed_merges
// List the dismissed merges, latest first.
// Parameters: none
// Rows: first, second STRING (keys); name, into STRING; at DATETIME
MATCH (dismissed:DismissedMerge:{{corpus}})
RETURN dismissed.first AS first, dismissed.second AS second, dismissed.name AS name, dismissed.into AS into,
  dismissed.at AS at ORDER BY at DESC, first, second

// -- corpus/undo_dismissed_merge
// Delete a dismissed merge.
// Parameters: $id STRING
// Rows: deleted INTEGER; one row
MATCH (dismissed:Overstory {id: $id}) WHERE dismissed:DismissedMerge AND dismissed.corpus = $corpus
DELETE dismissed
RETURN count(*) AS deleted

// -- corpus/count_vocabulary
// Write the number of vocabulary loads to the corpus.
// Parameters: $loads INTEGER
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.vocabularies = $loads

// -- corpus/most_mentioned
// List the entities by kind; within a kind, those that most passages mention come first.
// Parameters: $type STRING ('' for all); $prefix STRING (of keys; '' for all); $others LIST<STRING> (keys to include as
//   well); $later MAP (place of each type that is not listed first); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; in order
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages,
  coalesce($later[coalesce(e.type, '')], 0) AS kind
ORDER BY kind, passages DESC, e.name, e.key LIMIT $limit
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, coalesce(e.aliases, []) AS aliases, passages

// -- corpus/name_edits
// List the edits of names by hand, in the order in which they apply.
// Parameters: none
// Rows: number INTEGER; kind, name STRING; to STRING ("" if the name is hidden); at DATETIME
MATCH (edit:NameEdit:{{corpus}})
RETURN edit.number AS number, edit.kind AS kind, edit.name AS name, edit.to AS to, edit.at AS at ORDER BY number

// -- corpus/remove_name_edit
// Delete an edit of a name.
// Parameters: $id STRING
// Rows: none
MATCH (edit:Overstory {id: $id}) WHERE edit:NameEdit AND edit.corpus = $corpus
DELETE edit

// -- corpus/remove_vocabulary_names
// Delete names of vocabularies.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:VocabularyName AND v.corpus = $corpus
DELETE v

// -- corpus/vocabulary_names
// List the names of all vocabularies, in the order in which they apply.
// Parameters: none
// Rows: source, key, name STRING; type STRING ("" if the vocabulary gives no type); aliases LIST<STRING>
MATCH (v:VocabularyName:{{corpus}})
RETURN v.source AS source, v.key AS key, v.name AS name, v.type AS type, v.aliases AS aliases ORDER BY source, key

// -- corpus/write_name_edits
// Add edits of names by hand.
// Parameters: $last INTEGER (number of the last edit, including undone ones); $rows LIST<MAP {id, kind, name, to
//   STRING; number INTEGER}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.name_edits = $last
WITH corpus
UNWIND $rows AS row
CREATE (edit:NameEdit:Overstory:$($corpus) {id: row.id, corpus: $corpus, number: row.number, kind: row.kind, name: row.name,
  to: row.to, at: datetime()})

// -- corpus/write_vocabulary_names
// Add or replace names of vocabularies.
// Parameters: $rows LIST<MAP {id, source, key, name, type STRING; aliases LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:VocabularyName:$($corpus), v.corpus = $corpus, v.source = row.source, v.key = row.key
SET v.name = row.name, v.type = row.type, v.aliases = row.aliases

// -- corpus/names_as_written
// Read the spellings of entities in some documents: in texts, titles, headings and definitions.
// Parameters: $documents LIST<STRING> (ids); $ids LIST<STRING> (of entities); $kinds LIST<STRING> (kinds of mentions to
//   count)
// Rows: id STRING (of an entity); surfaces LIST<LIST> (spelling, frequency, whether a parser found it)
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity)
  WITH m, e WHERE e.id IN $ids AND (m.by IN $kinds OR m.by = 'dictionary')
  UNWIND m.surfaces AS surface
  RETURN e.id AS id, surface, m.by <> 'dictionary' AS parsed
  UNION ALL
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity)
  WITH a, e WHERE e.id IN $ids AND a.surface IS NOT NULL
  RETURN e.id AS id, a.surface AS surface, false AS parsed
}
WITH id, surface, parsed, count(*) AS times
RETURN id, collect([surface, times, parsed]) AS surfaces

// -- corpus/names_of_documents
// List the entities that some documents mention, with the numbers of passages.
// Parameters: $documents LIST<STRING> (ids); $type STRING ('' for all); $prefix STRING (of keys; '' for all); $others
//   LIST<STRING> (keys to include as well); $kinds LIST<STRING> (kinds of mentions that count for df)
// Rows: names LIST<LIST> (id of the entity, key, type, passages in which parsers found it, passages in which the
//   dictionary did); one row
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)-[m:MENTIONS]->(e:Overstory:Entity)
WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, count(DISTINCT CASE WHEN m.by IN $kinds THEN c END) AS parsed,
  count(DISTINCT CASE WHEN m.by = 'dictionary' THEN c END) AS listed
RETURN collect([e.id, e.key, coalesce(e.type, ''), parsed, listed]) AS names

// -- corpus/names_with_words
// Find entities by words, at most $depth in each of three places: passages with these words, names that begin with
// them, and names that end with them. So the cost does not grow with the corpus.
// Parameters: $index STRING (full text of chunks); $query STRING (Lucene, escaped); $depth INTEGER (limit per place);
//   $start, $end STRING (of keys; $end is reversed and followed by a space); $words LIST<STRING> (the name must have a
//   word that begins with each); $type STRING ('' for all); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; names that begin with the words first, then by
//   passages
CALL () {
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($index, query, {limit: $depth}) YIELD node AS c
  WITH c WHERE c:Chunk AND c.corpus = $corpus
  MATCH (c)-[:MENTIONS|ABOUT]-(e:Overstory:Entity)
  RETURN DISTINCT e
  UNION
  MATCH (e:Overstory {corpus: $corpus})
  USING INDEX SEEK e:Overstory(corpus, key, backwards)
  WHERE e.key STARTS WITH $start AND e.backwards IS NOT NULL
  RETURN e LIMIT $depth
  UNION
  MATCH (e:Overstory {corpus: $corpus})
  USING INDEX SEEK e:Overstory(corpus, backwards)
  WHERE e.backwards STARTS WITH $end
  RETURN e LIMIT $depth
}
WITH DISTINCT e WHERE e:Entity AND e.corpus = $corpus AND $type IN ['', e.type] AND any(written IN [e.key] + coalesce(e.aliases, [])
  WHERE all(word IN $words WHERE ' ' + toLower(written) CONTAINS ' ' + word))
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages
ORDER BY e.key STARTS WITH $start DESC, passages DESC, e.name, e.key LIMIT $limit
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, coalesce(e.aliases, []) AS aliases, passages
