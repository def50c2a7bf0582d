// The sections that have words of a question, and the chunks that have a name or a phrase of it.
// Parameters: $word_index, $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections found by words);
//   $subjects, $rare LIST<STRING> (entities of the question: those that chunks are about, and rare others);
//   $most INTEGER (chunks about a name);
//   $text_index STRING; $phrases LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks a phrase; the index
//   compares stems)
// Rows: found LIST<LIST> (one a chunk and list that it is in: its id and its document's; the key of an entity that it is
//   about or mentions, or null; how much it is about it or null; a phrase that it may have, and its text, or null);
//   sections LIST<LIST> (ids of its chunks, in order, and of its document; BM25); links INTEGER (between documents); one
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.links, 0) AS links, coalesce(corpus.boilerplate_only, 0) AS hidden
CALL (hidden) {
  WITH hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($word_index, query, {limit: $depth + hidden}) YIELD node AS first, score
  WITH hidden, first, score WHERE first:Chunk AND first.corpus = $corpus
  WITH first, score, CASE WHEN hidden = 0 THEN first.section_chunks ELSE COLLECT {
    UNWIND first.section_chunks AS id
    MATCH (c:Overstory {id: id}) WHERE NOT c:BoilerplateOnly
    RETURN id
  } END AS chunks
  WITH first, score, chunks WHERE size(chunks) > 0
  WITH first, score, chunks LIMIT $depth
  RETURN collect([
    chunks, COLLECT { MATCH (first)-[:PART_OF]->(d:Overstory:Document) RETURN d.id }[0], score
  ]) AS sections
}
CALL (hidden) {
  CALL (hidden) {
    UNWIND $subjects AS id
    CALL (id) {
      MATCH (e:Overstory {id: id})-[about:ABOUT]->(c:Overstory:Chunk)
      RETURN c, e.key AS key, about.weight AS weight ORDER BY weight DESC, c.id LIMIT $most
    }
    RETURN c, key, weight, null AS phrase
    UNION ALL
    UNWIND $rare AS id
    MATCH (e:Overstory {id: id})<-[:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)
    RETURN c, e.key AS key, null AS weight, null AS phrase
    UNION ALL
    UNWIND $phrases AS phrase
    CALL (phrase, hidden) {
      CALL db.index.fulltext.queryNodes($text_index, phrase, {limit: $phrase_depth + hidden}) YIELD node AS c
      WITH c WHERE c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
      WITH c LIMIT $phrase_depth
      RETURN c
    }
    RETURN c, null AS key, null AS weight, phrase
  }
  // A row of its own for each would take the client as long as the search.
  RETURN collect([
    c.id, COLLECT { MATCH (c)-[:PART_OF]->(d:Overstory:Document) RETURN d.id }[0], key, weight, phrase,
    CASE WHEN phrase IS NOT NULL THEN c.title + '\n' + c.heading + '\n' + c.text END
  ]) AS found
}
RETURN found, sections, links
