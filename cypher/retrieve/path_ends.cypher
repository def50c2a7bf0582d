// Where paths begin and end: which of some names there are, and how far the index is.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: named BOOLEAN (the corpus has names); changed INTEGER (nodes that an index stage has to look at);
//   chunks INTEGER; links INTEGER (that documents have, also to what is missing);
//   names LIST<MAP {id, key, name, type STRING; df INTEGER (chunks that mention it)}>; one
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  RETURN collect({id: e.id, key: e.key, name: e.name, type: e.type,
    df: CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END}) AS names
}
RETURN coalesce(corpus.entities, 0) > 0 AS named, coalesce(corpus.changed, 0) + coalesce(corpus.stale, 0) AS changed, coalesce(corpus.chunks, 0) AS chunks, coalesce(corpus.links, 0) AS links,
  names
