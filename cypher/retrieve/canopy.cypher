// -- retrieve/asked_links
// Links of some documents that have a word of the question in type or text, or lead from one of these documents to another.
// Parameters: $documents, $words LIST<STRING> (ids; beginnings of words in lower case); $looked_at, $most INTEGER (links of
//   a document that are read, and that are told); $hyperlink STRING (the type of links that say nothing)
// Rows: links LIST<LIST> (ids, titles and first chunks of the document that the link starts from and of the one that it
//   leads to; type and text; the id of the document in $documents); one a document
UNWIND $documents AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (d)-[l:LINKS]-(t:Overstory:Document)
  WITH d, l, t LIMIT $looked_at
  WHERE t <> d AND l.type <> $hyperlink AND (t.id IN $documents
    OR any(word IN $words WHERE toLower(l.type) CONTAINS word OR toLower(l.text) CONTAINS word))
  RETURN l, startNode(l) AS source, endNode(l) AS target ORDER BY l.weight DESC, l.type, t.id LIMIT $most
}
WITH d, l, source, target,
  COLLECT { MATCH (source:Overstory:Document)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0 RETURN c.id LIMIT 1 }[0] AS first,
  COLLECT { MATCH (target:Overstory:Document)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0 RETURN c.id LIMIT 1 }[0] AS second
RETURN collect([source.id, source.title, first, target.id, target.title, second, l.type, l.text, d.id]) AS links

// -- retrieve/titled_documents
// The documents that have some names as their whole titles.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (documents of a name)
// Rows: ids LIST<STRING> (of documents); one
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  CALL (e) {
    MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    WHERE a.source = 'title' AND a.full AND EXISTS { (d)-[:LINKS]-(:Overstory:Document) }
    RETURN DISTINCT d.id AS document ORDER BY document LIMIT $most
  }
  RETURN collect(DISTINCT document) AS ids
}
RETURN ids

// -- retrieve/canopy_links
// Where links lead from some chunks: documents that theirs link to, or that link to theirs. Of a document with many links
// only those count that lead to documents which are found already.
// Parameters: $sources LIST<STRING> (ids of chunks); $found LIST<STRING> (ids of documents); $most INTEGER (links of a
//   document that is not such a one); $most_chunks INTEGER (of a document that is not found already);
//   $hyperlink STRING (the type of links that lead nowhere)
// Rows: title STRING (of a source's document); degree INTEGER (links that it has); links LIST<LIST> (the source; ids of
//   the document at the other end, and of its first chunk, null if it has more than $most_chunks; type and text of the
//   link; whether it starts at the source's document); one a source
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
WITH source, d, COUNT { (d)-[:LINKS]->() } + COUNT { (d)<-[:LINKS]-() } AS degree
CALL (source, d, degree) {
  CALL (d, degree) {
    WITH d, degree WHERE degree <= $most
    MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE t <> d AND l.type <> $hyperlink
    RETURN l, t
    UNION ALL
    WITH d, degree WHERE degree > $most
    UNWIND $found AS id
    MATCH (t:Overstory {id: id, corpus: $corpus}) WHERE t <> d
    MATCH (d)-[l:LINKS]-(t) WHERE l.type <> $hyperlink
    RETURN l, t
  }
  RETURN collect([
    source, t.id,
    CASE WHEN t.chunks <= $most_chunks THEN COLLECT {
      MATCH (t)<-[:PART_OF]-(c:Overstory:Chunk) WHERE NOT c:BoilerplateOnly
      RETURN c.id ORDER BY c.seq LIMIT 1
    }[0] END,
    l.type, l.text, startNode(l) = d
  ]) AS links
}
RETURN d.title AS title, degree, links

// -- retrieve/canopy_expand
// The names that some chunks mention, and others, and where these lead: to chunks that are about one, to others that
// mention it too.
// Parameters: $sources LIST<STRING> (ids of chunks); $ids LIST<STRING> (of more names); $asked LIST<STRING> (keys of names that
//   are left out); $nowhere BOOLEAN (also names that lead nowhere); $most INTEGER (chunks about a name); $most_shared INTEGER
//   (chunks that may mention a name that leads to all of them); $looked_at INTEGER (chunks about a name that are compared)
// Rows: names LIST<LIST> (key and name of each; chunks that mention it; the sources that do, each with its first sentence
//   that says it, or -1; all of the chunks that do, each with that sentence and the id of its document; the chunks that
//   are about it, each with the weight and the id of its document); one
CALL () {
  UNWIND $sources AS source
  MATCH (:Overstory {id: source, corpus: $corpus})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity)
  WHERE ($nowhere OR e.subject OR 2 <= e.dictionary_df <= $most_shared) AND NOT e.key IN $asked
  RETURN e, collect([source, coalesce(head(m.sentences), -1)]) AS sources
  UNION ALL
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL
  RETURN e, [] AS sources
}
WITH e, sources, e.dictionary_df AS df
RETURN collect([
  e.key, e.name, df, sources,
  CASE WHEN df <= $most_shared AND (df >= 2 OR $nowhere) THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, coalesce(head(m.sentences), -1), d.id]
  } ELSE [] END,
  CASE WHEN e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)
    WITH a, c LIMIT $looked_at
    WITH a, c ORDER BY a.weight DESC, c.id LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, a.weight, d.id] ORDER BY a.weight DESC, c.id
  } ELSE [] END
]) AS names

// -- retrieve/canopy_named
// The sections that have words of a question, and the chunks that have a name or a phrase of it.
// Parameters: $word_index, $query STRING (Lucene, escaped, "" finds nothing); $depth INTEGER (sections found by words);
//   $subjects, $rare LIST<STRING> (entities of the question: those that chunks are about, and rare others);
//   $most INTEGER (chunks about a name); $looked_at INTEGER (chunks about a name that are compared);
//   $text_index STRING; $phrases LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks a phrase; the index
//   compares stems)
// Rows: found LIST<LIST> (one a chunk and list that it is in: its id and its document's; the key of an entity that it is
//   about or mentions, or null; how much it is about it or null; a phrase that it may have, and its text, or null);
//   sections LIST<LIST> (ids of its chunks, in order, and of its document; BM25); links INTEGER (between documents);
//   many LIST<LIST> (name of a subject that more than $looked_at chunks are about; how many are); one
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
      WITH e, about, c LIMIT $looked_at
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
RETURN found, sections, links, COLLECT {
  UNWIND $subjects AS id
  MATCH (e:Overstory {id: id})
  WITH e, COUNT { (e)-[:ABOUT]->() } AS chunks WHERE chunks > $looked_at
  RETURN [e.name, chunks]
} AS many
