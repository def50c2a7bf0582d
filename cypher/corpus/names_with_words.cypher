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
