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

// -- retrieve/canopy_start
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

// -- retrieve/held_name_changes
// The names that changed since a version of a corpus, in themselves or in what mentions them or is about them, and those
// that the mentions stage has yet to look at: what mentions these changes before they do.
// Parameters: $version INTEGER
// Rows: id STRING (of an entity); one may come twice
MATCH (n:Overstory)
USING INDEX SEEK n:Overstory(corpus, touched)
WHERE n.corpus = $corpus AND n.touched > $version AND n:Entity
RETURN n.id AS id
UNION ALL
MATCH (n:{{corpus}}_Changed) WHERE n:Entity
RETURN n.id AS id

// -- retrieve/held_name_ids
// The ids of all names of the dictionary.
// Parameters: none
// Rows: id STRING (of an entity)
MATCH (e:{{corpus}}_Entity) WHERE e.dictionary_df IS NOT NULL
RETURN e.id AS id

// -- retrieve/held_names
// Some names of the dictionary, with the chunks that mention them or are about them. Those that mention a name which leads
// nowhere and is no seed are left out.
// Parameters: $ids LIST<STRING> (of entities); $most_shared INTEGER (chunks that may mention a name which leads to all of
//   them)
// Rows: names LIST<LIST> (id, key and name of each; chunks that mention it; 1 if a chunk is about it, plus 2 if one defines
//   it or has it as heading, plus 4 if ways lead by it; the chunks that mention it, each with the first sentence that
//   does, or -1; those that are about it, each with the weight); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL
WITH e, e.dictionary_df AS df, coalesce(e.subject, false) AS subject
WITH e, df, subject,
  subject AND EXISTS { (e)-[a:ABOUT]->(:Overstory:Chunk) WHERE a.source IN ['definition', 'heading'] } AS term
RETURN collect([
  e.id, e.key, e.name, df,
  CASE WHEN subject THEN 1 ELSE 0 END + CASE WHEN term THEN 2 ELSE 0 END
    + CASE WHEN subject OR 2 <= df <= $most_shared THEN 4 ELSE 0 END,
  CASE WHEN subject OR df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)
    RETURN [c.id, coalesce(head(m.sentences), -1)]
  } ELSE [] END,
  COLLECT { MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk) RETURN [c.id, a.weight] }
]) AS names

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
// The names that some chunks mention, and where these lead: to chunks that are about one, to others that mention it too.
// Parameters: $sources LIST<STRING> (ids of chunks); $asked LIST<STRING> (keys of names that lead nowhere: those of the
//   question); $most INTEGER (chunks about a name); $most_shared INTEGER (chunks that may mention a name that leads to all
//   of them)
// Rows: names LIST<LIST> (key and name of each; chunks that mention it; the sources that do, each with its first sentence
//   that says it, or -1; all of the chunks that do, each with that sentence and the id of its document; the chunks that
//   are about it, each with the weight and the id of its document); one
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity)
WITH source, m, e, e.dictionary_df AS df, e.key AS key
WHERE (e.subject OR 2 <= df <= $most_shared) AND NOT key IN $asked
WITH e, key, df, collect([source, coalesce(head(m.sentences), -1)]) AS sources
RETURN collect([
  key, e.name, df, sources,
  CASE WHEN 2 <= df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, coalesce(head(m.sentences), -1), d.id]
  } ELSE [] END,
  CASE WHEN e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, a.weight, d.id] ORDER BY a.weight DESC, c.id LIMIT $most
  } ELSE [] END
]) AS names

// -- retrieve/canopy_leading
// Where some names lead: to chunks that are about one, and to those that mention it, if few do.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (chunks about a name); $most_shared INTEGER (chunks that may
//   mention a name that leads to all of them)
// Rows: names LIST<LIST> (key and name of each; chunks that mention it; the chunks that do, each with its first sentence
//   that says it, or -1, and the id of its document; the chunks that are about it, each with the weight and the id of its
//   document); one
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND e.dictionary_df IS NOT NULL
WITH e, e.dictionary_df AS df
RETURN collect([
  e.key, e.name, df,
  CASE WHEN df <= $most_shared THEN COLLECT {
    MATCH (e)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, coalesce(head(m.sentences), -1), d.id]
  } ELSE [] END,
  CASE WHEN e.subject THEN COLLECT {
    MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, a.weight, d.id] ORDER BY a.weight DESC, c.id LIMIT $most
  } ELSE [] END
]) AS names

// -- retrieve/canopy_mentioned
// The names that some chunks mention, whether they lead anywhere in this corpus or not.
// Parameters: $sources LIST<STRING> (ids of chunks)
// Rows: names LIST<LIST> (key; the sources that mention it, each with its first sentence that says it, or -1); one
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity)
WITH e.key AS key, collect([source, coalesce(head(m.sentences), -1)]) AS sources
RETURN collect([key, sources]) AS names

// -- retrieve/canopy_named
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
