// What a question of which the names are known needs first: its corpus, the sections that have its words, and the chunks
// that may have its phrases.
// Parameters: $query STRING (Lucene, escaped, "" finds nothing);
//   $depth INTEGER (sections found by words); $phrases LIST<STRING> (Lucene, quoted);
//   $phrase_depth INTEGER (chunks a phrase; the index compares stems)
// Rows: corpus MAP (the properties); schema INTEGER (of the whole graph); changed INTEGER (nodes that the mentions stage
//   has to look at); links INTEGER (between documents); sections LIST<LIST> (ids of its chunks, in order, and of
//   its document; BM25);
//   phrases LIST<LIST> (ids of a chunk and of its document; a phrase that it may have; its text); one, or none if there is
//   no such corpus
MATCH (corpus:Overstory:Corpus {id: $corpus})
MATCH (meta:Overstory {id: 'meta'})
WITH corpus, meta, corpus.boilerplate_only AS hidden
CALL (corpus, hidden) {
  WITH corpus, hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes('overstory_words_' + corpus.index_set, query, {limit: $depth + hidden})
  YIELD node AS first, score
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
CALL (corpus, hidden) {
  UNWIND $phrases AS phrase
  CALL (corpus, phrase, hidden) {
    CALL db.index.fulltext.queryNodes('overstory_text_' + corpus.index_set, phrase, {limit: $phrase_depth + hidden})
    YIELD node AS c
    WITH c WHERE c:Chunk AND c.corpus = $corpus AND NOT c:BoilerplateOnly
    WITH c LIMIT $phrase_depth
    RETURN c
  }
  RETURN collect([
    c.id, COLLECT { MATCH (c)-[:PART_OF]->(d:Overstory:Document) RETURN d.id }[0], phrase,
    c.title + '\n' + c.heading + '\n' + c.text
  ]) AS phrases
}
RETURN properties(corpus) AS corpus, meta.schema AS schema, corpus.changed AS changed, corpus.links AS links,
  sections, phrases
