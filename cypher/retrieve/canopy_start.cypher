// What a question of which the names are known needs first: its corpus, the chunks that have its words, and those that may
// have its phrases.
// Parameters: $id STRING (of the corpus); $text_index, $query STRING (Lucene, escaped, "" finds nothing);
//   $depth INTEGER (chunks found by words); $phrases LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks a
//   phrase; the index compares stems)
// Rows: corpus MAP (the properties); schema INTEGER (of the whole graph); changed INTEGER (nodes that the mentions stage
//   has to look at); links INTEGER (between documents); words LIST<LIST> (ids of a chunk and of its document; BM25);
//   phrases LIST<LIST> (ids of a chunk and of its document; a phrase that it may have; its text); one, or none if there is
//   no such corpus
MATCH (corpus:Overstory:Corpus {id: $id})
MATCH (meta:Overstory {id: 'meta'})
CALL () { MATCH (n:{{corpus}}_Changed) RETURN count(n) AS changed }
CALL () { MATCH (:{{corpus}}_Document)-[l:LINKS]->() RETURN count(l) AS links }
CALL () { MATCH (b:{{corpus}}_BoilerplateOnly) RETURN count(b) AS hidden }
CALL (hidden) {
  WITH hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($text_index, query, {limit: $depth + hidden}) YIELD node AS c, score
  WITH c, score WHERE c:{{corpus}}_Chunk AND NOT c:{{corpus}}_BoilerplateOnly
  WITH c, score LIMIT $depth
  RETURN collect([c.id, COLLECT { MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document) RETURN d.id }[0], score]) AS words
}
CALL (hidden) {
  UNWIND $phrases AS phrase
  CALL (phrase, hidden) {
    CALL db.index.fulltext.queryNodes($text_index, phrase, {limit: $phrase_depth + hidden}) YIELD node AS c
    WITH c WHERE c:{{corpus}}_Chunk AND NOT c:{{corpus}}_BoilerplateOnly
    WITH c LIMIT $phrase_depth
    RETURN c
  }
  RETURN collect([
    c.id, COLLECT { MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document) RETURN d.id }[0], phrase,
    c.title + '\n' + c.heading + '\n' + c.text
  ]) AS phrases
}
RETURN properties(corpus) AS corpus, meta.schema AS schema, changed, links, words, phrases
