// -- corpus/dismiss_merge
// Keeps that two names are not one, so that they are not suggested again.
// Parameters: $id, $first, $second STRING (keys), $name, $into STRING (as they are written)
// Rows: none
MERGE (dismissed:Overstory {id: $id})
ON CREATE SET dismissed:DismissedMerge:$($corpus), dismissed.corpus = $corpus, dismissed.first = $first,
  dismissed.second = $second, dismissed.name = $name, dismissed.into = $into, dismissed.at = datetime()

// -- corpus/dismissed_merges
// The pairs of names that are not one, the latest first.
// Parameters: none
// Rows: first, second (keys), name, into STRING; at DATETIME
MATCH (dismissed:DismissedMerge:{{corpus}})
RETURN dismissed.first AS first, dismissed.second AS second, dismissed.name AS name, dismissed.into AS into,
  dismissed.at AS at ORDER BY at DESC, first, second

// -- corpus/undo_dismissed_merge
// Forgets that two names are not one.
// Parameters: $id STRING
// Rows: deleted INTEGER; one
MATCH (dismissed:Overstory {id: $id}) WHERE dismissed:DismissedMerge AND dismissed.corpus = $corpus
DELETE dismissed
RETURN count(*) AS deleted

// -- corpus/count_vocabulary
// Writes how many times vocabularies were changed.
// Parameters: $loads INTEGER
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.vocabularies = $loads

// -- corpus/most_mentioned
// The names that most passages mention.
// Parameters: $type STRING ('' for all); $prefix STRING (of keys; '' for all); $others LIST<STRING> (keys that count as
//   well); $by_kind BOOLEAN (people, organisations, places, works and terms of which facts are known come first, then
//   others of these kinds, those of no kind, and numbers); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; the most frequent first
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages,
  CASE
    WHEN NOT $by_kind THEN 0
    WHEN e:PersonName|OrganisationName|PlaceName|WorkName|TechnicalName THEN
      CASE WHEN EXISTS { (e)-[:RELATED]-(:{{corpus}}) } THEN 0 ELSE 1 END
    WHEN left(e.key, 1) IN ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] THEN 3
    ELSE 2
  END AS kind
ORDER BY kind, passages DESC, e.name, e.key LIMIT $limit
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, coalesce(e.aliases, []) AS aliases, passages

// -- corpus/name_edits
// The edits of names by hand, in the order in which they apply.
// Parameters: none
// Rows: number INTEGER; kind, name STRING; to STRING ("" where a name is hidden); at DATETIME
MATCH (edit:NameEdit:{{corpus}})
RETURN edit.number AS number, edit.kind AS kind, edit.name AS name, edit.to AS to, edit.at AS at ORDER BY number

// -- corpus/remove_name_edit
// Takes back an edit of a name by hand.
// Parameters: $id STRING
// Rows: none
MATCH (edit:Overstory {id: $id}) WHERE edit:NameEdit AND edit.corpus = $corpus
DELETE edit

// -- corpus/remove_vocabulary_names
// Removes names of vocabularies.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:VocabularyName AND v.corpus = $corpus
DELETE v

// -- corpus/vocabulary_names
// The names of a corpus' vocabularies, in the order in which they apply.
// Parameters: none
// Rows: source, key, name STRING; type STRING ("" where none is given); aliases LIST<STRING>
MATCH (v:VocabularyName:{{corpus}})
RETURN v.source AS source, v.key AS key, v.name AS name, v.type AS type, v.aliases AS aliases ORDER BY source, key

// -- corpus/write_name_edits
// Adds edits of names by hand.
// Parameters: $last INTEGER (the number of the last edit, whether it is undone later or not); $rows LIST<MAP {id, kind, name, to STRING; number INTEGER}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
SET corpus.name_edits = $last
WITH corpus
UNWIND $rows AS row
CREATE (edit:NameEdit:Overstory:$($corpus) {id: row.id, corpus: $corpus, number: row.number, kind: row.kind, name: row.name,
  to: row.to, at: datetime()})

// -- corpus/write_vocabulary_names
// Adds names of vocabularies, or replaces what they said.
// Parameters: $rows LIST<MAP {id, source, key, name, type STRING; aliases LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:VocabularyName:$($corpus), v.corpus = $corpus, v.source = row.source, v.key = row.key
SET v.name = row.name, v.type = row.type, v.aliases = row.aliases

// -- corpus/names_as_written
// How some documents write some names: in their texts, and as titles, headings and definitions.
// Parameters: $documents LIST<STRING> (ids); $ids LIST<STRING> (of entities); $kinds LIST<STRING> (whose mentions count)
// Rows: id STRING (of an entity); surfaces LIST<LIST> (how it is written, how often, and whether parsers saw it)
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
// The names that some documents mention, and how many of their passages do.
// Parameters: $documents LIST<STRING> (ids); $type STRING ('' for all); $prefix STRING (of keys; '' for all);
//   $others LIST<STRING> (keys that count as well); $kinds LIST<STRING> (whose mentions count for the df of an entity)
// Rows: names LIST<LIST> (id of an entity; key; type; passages in which parsers saw it; in which the dictionary did); one
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)-[m:MENTIONS]->(e:Overstory:Entity)
WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, count(DISTINCT CASE WHEN m.by IN $kinds THEN c END) AS parsed,
  count(DISTINCT CASE WHEN m.by = 'dictionary' THEN c END) AS listed
RETURN collect([e.id, e.key, coalesce(e.type, ''), parsed, listed]) AS names

// -- corpus/names_with_words
// The names that have some words, looked for by indexes in three places, at most $depth in each, so that the cost does not
// grow with the corpus: in passages that have these words, among names that begin with them, and among those that end so.
// Parameters: $index STRING (full text of chunks); $query STRING (Lucene, escaped); $depth INTEGER (the most of each kind);
//   $start, $end STRING (of keys; $end backwards and followed by a space); $words LIST<STRING> (as keys have them; the name
//   has a word that begins with each); $type STRING ('' for all); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; those that begin so before others, the most
//   frequent first
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
