// Names that stand in the passages which share words with a name that is not there.
// Parameters: $index STRING (full text of chunks); $query STRING (Lucene, escaped); $depth INTEGER (passages)
// Rows: key, name STRING; df INTEGER (chunks that mention it)
CALL db.index.fulltext.queryNodes($index, $query, {limit: $depth}) YIELD node AS c
WITH c WHERE c:Chunk AND c.corpus = $corpus
MATCH (c)-[:MENTIONS]->(e:Overstory:Entity)
WITH DISTINCT e
RETURN e.key AS key, e.name AS name, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df
