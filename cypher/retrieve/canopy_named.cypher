// The chunks that have words of a question, or a name or a phrase of it.
// Parameters: $text_index, $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (chunks found by words);
//   $subjects, $rare LIST<STRING> (entities of the question: those that chunks are about, and rare others);
//   $most INTEGER (chunks about a name);
//   $phrases LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks a phrase; the index compares stems)
// Rows: found LIST<LIST> (one a chunk and list that it is in: its id and its document's; BM25 or null; the key of an
//   entity that it is about or mentions, or null; how much it is about it or null; a phrase that it may have, and its
//   text, or null); links INTEGER (between documents); one
CALL () { MATCH (b:{{corpus}}_BoilerplateOnly) RETURN count(b) AS hidden }
CALL (hidden) {
  WITH hidden, $query AS query WHERE query <> ''
  CALL db.index.fulltext.queryNodes($text_index, query, {limit: $depth + hidden}) YIELD node AS c, score
  WITH c, score WHERE c:{{corpus}}_Chunk AND NOT c:{{corpus}}_BoilerplateOnly
  WITH c, score LIMIT $depth
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
  CALL (phrase, hidden) {
    CALL db.index.fulltext.queryNodes($text_index, phrase, {limit: $phrase_depth + hidden}) YIELD node AS c
    WITH c WHERE c:{{corpus}}_Chunk AND NOT c:{{corpus}}_BoilerplateOnly
    WITH c LIMIT $phrase_depth
    RETURN c
  }
  RETURN c, null AS words, null AS key, null AS weight, phrase
}
// A row of its own for each would take the client as long as the search.
WITH collect([
  c.id, COLLECT { MATCH (c)-[:PART_OF]->(d:{{corpus}}_Document) RETURN d.id }[0], words, key, weight, phrase,
  CASE WHEN phrase IS NOT NULL THEN c.title + '\n' + c.heading + '\n' + c.text END
]) AS found
CALL () { MATCH (:{{corpus}}_Document)-[l:LINKS]->() RETURN count(l) AS links }
RETURN found, links
