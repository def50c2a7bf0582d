// -- retrieve/asked_links
// Find links of some documents that have a word of the question in type or text, or connect two of these documents.
// Parameters: $documents LIST<STRING> (ids); $words LIST<STRING> (beginnings of words in lower case); $looked_at, $most
//   INTEGER (links to read and to return per document); $hyperlink STRING (link type to ignore)
// Rows: links LIST<LIST> (id, title and first chunk of the start document and of the end document; type and text; the
//   id in $documents); one row per document
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
// Find the documents whose whole titles are some names.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (documents per name)
// Rows: ids LIST<STRING> (of documents); one row
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
// Find the documents that are linked with those of some chunks, in either direction. Of a document with many links,
// only links to documents already found count.
// Parameters: $sources LIST<STRING> (ids of chunks); $found LIST<STRING> (ids of documents); $most INTEGER (further
//   links per document); $most_chunks INTEGER (maximum chunks of a document not yet found); $hyperlink STRING (link
//   type to ignore)
// Rows: title STRING (of the source's document); degree INTEGER (its links); links LIST<LIST> (source; ids of the
//   document at the other end and of its first chunk, null if it has more than $most_chunks; type and text of the link;
//   whether the link starts at the source's document); one row per source
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
// Read the entities that some chunks mention, and further entities, with the chunks about each and the other chunks
// that mention it.
// Parameters: $sources LIST<STRING> (ids of chunks); $ids LIST<STRING> (of further entities); $asked LIST<STRING> (keys
//   of entities to leave out); $nowhere BOOLEAN (also entities without other chunks); $most INTEGER (chunks about an
//   entity); $most_shared INTEGER (maximum chunks that mention an entity to return all of them); $looked_at INTEGER
//   (chunks about an entity to compare)
// Rows: names LIST<LIST> (key and name; number of chunks that mention it; sources that mention it, each with the first
//   sentence or -1; all chunks that mention it, each with that sentence and the id of its document; chunks about it,
//   each with weight and id of its document); one row
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
// Find the sections with words of a question, and the chunks with an entity or a phrase of the question.
// Parameters: $word_index, $query STRING (Lucene, escaped; "" finds nothing); $depth INTEGER (sections by words);
//   $subjects, $rare LIST<STRING> (entities of the question that chunks are about, and rare other ones); $most INTEGER
//   (chunks about an entity); $looked_at INTEGER (chunks about an entity to compare); $text_index STRING; $phrases
//   LIST<STRING> (Lucene, quoted); $phrase_depth INTEGER (chunks per phrase; the index compares stems)
// Rows: found LIST<LIST> (per chunk and list: ids of the chunk and its document; key of an entity that it is about or
//   mentions, or null; weight of ABOUT or null; a possible phrase and the chunk's text, or null); sections LIST<LIST>
//   (ids of its chunks, in order, and of its document; BM25); links INTEGER (between documents); many LIST<LIST> (name
//   of an entity with more than $looked_at chunks about it; their number); one row
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
  // One row each would take the client as long as the search.
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

// -- retrieve/canopy_shown
// Read which of some names some chunks mention, and which of these names their title, heading, definition or first
// words give in full. Longer names that contain such a name are read, too.
// Parameters: $chunks LIST<STRING> (ids); $keys LIST<STRING> (of names); $own LIST<STRING> (values of ABOUT.source that
//   come from the passage itself)
// Rows: names LIST<LIST> (id of the chunk; key and type of a name; its spellings in the text; ABOUT.source if the
//   chunk is about it, or null); one row
UNWIND $chunks AS id
MATCH (c:Overstory {id: id, corpus: $corpus})
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE any(key IN $keys WHERE e.key CONTAINS key)
  RETURN e.key AS key, coalesce(e.type, '') AS type, coalesce(m.surfaces, []) AS spellings, null AS source
  UNION ALL
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE (a.full OR a.source = 'definition') AND a.source IN $own AND e.key IN $keys
  RETURN e.key AS key, coalesce(e.type, '') AS type, [] AS spellings, a.source AS source
}
RETURN collect([c.id, key, type, spellings, source]) AS names
