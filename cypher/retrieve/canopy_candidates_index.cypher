// Where canopy begins: chunks near a question by meaning, by words and by the names in it, by the corpus' own index.
// Parameters: $vector_index STRING; $vector_depth INTEGER (asked of it); $vector LIST<FLOAT>;
//   $text_index, $query STRING (Lucene, escaped, "" asks by meaning alone); $depth INTEGER (chunks a list);
//   $subjects, $rare LIST<STRING> (entities of the question: those that chunks are about, and rare others);
//   $most INTEGER (chunks about a name);
//   $phrases LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks a phrase; the index compares stems)
// Rows: one a chunk and list: chunk_id STRING; words FLOAT (BM25) or null; key STRING (of the entity that the chunk is
//   about, or mentions) or null; weight FLOAT (how much it is about it) or null; phrase, text STRING (of a chunk that may
//   have the phrase) or null
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS c
  WITH c WHERE c:{{corpus}}_Chunk LIMIT $depth
  RETURN c, null AS words, null AS key, null AS weight, null AS phrase
  UNION ALL
  WITH $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($text_index, query, {limit: $depth}) YIELD node AS c, score
  WITH c, score WHERE c:{{corpus}}_Chunk
  RETURN c, score AS words, null AS key, null AS weight, null AS phrase
  UNION ALL
  UNWIND $subjects AS id
  CALL (id) {
    MATCH (e:Overstory {id: id})-[about:ABOUT]->(c:{{corpus}}_Chunk)
    RETURN c, e.key AS key, about.weight AS weight ORDER BY weight DESC, c.id LIMIT $most
  }
  RETURN c, null AS words, key, weight, null AS phrase
  UNION ALL
  UNWIND $rare AS id
  MATCH (e:Overstory {id: id})<-[:MENTIONS {by: 'dictionary'}]-(c:{{corpus}}_Chunk)
  RETURN c, null AS words, e.key AS key, null AS weight, null AS phrase
  UNION ALL
  UNWIND $phrases AS phrase
  CALL (phrase) {
    CALL db.index.fulltext.queryNodes($text_index, phrase, {limit: $phrase_depth}) YIELD node AS c
    WITH c WHERE c:{{corpus}}_Chunk
    RETURN c
  }
  RETURN c, null AS words, null AS key, null AS weight, phrase
}
RETURN c.id AS chunk_id, words, key, weight, phrase,
  CASE WHEN phrase IS NOT NULL THEN c.title + '\n' + c.heading + '\n' + c.text END AS text
