// $asked is a map, because the server plans a statement again for each order of magnitude of a list.

// -- retrieve/path_ends
// Look up the ends of a path, and the state of the index.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: named BOOLEAN (the corpus has entities); changed INTEGER (nodes that wait for an index stage); chunks INTEGER;
//   links INTEGER (including links to missing documents); names LIST<MAP {id, key, name, type STRING; df INTEGER
//   (chunks that mention it)}>; one row
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  RETURN collect({id: e.id, key: e.key, name: e.name, type: e.type,
    df: CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END}) AS names
}
RETURN coalesce(corpus.entities, 0) > 0 AS named, coalesce(corpus.changed, 0) + coalesce(corpus.stale, 0) AS changed, coalesce(corpus.chunks, 0) AS chunks, coalesce(corpus.links, 0) AS links,
  names

// -- retrieve/path_suggestions
// Find entities in passages that share words with an unknown name.
// Parameters: $index STRING (full text of chunks); $query STRING (Lucene, escaped); $depth INTEGER (passages)
// Rows: key, name STRING; df INTEGER (chunks that mention it)
CALL db.index.fulltext.queryNodes($index, $query, {limit: $depth}) YIELD node AS c
WITH c WHERE c:Chunk AND c.corpus = $corpus
MATCH (c)-[:MENTIONS]->(e:Overstory:Entity)
WITH DISTINCT e
RETURN e.key AS key, e.name AS name, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df

// -- retrieve/path_links
// Extend paths by links: find the entities that are titles of documents linked, in either direction, with documents
// titled by some entities. Also count the links of entities.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of entities to return;
//   all); met LIST<STRING> (ids of entities whose links are counted)}; $ends LIST<STRING> (ids of entities that may be
//   part of a title); $documents INTEGER (documents to read per entity); $most INTEGER (links to read per document);
//   $most_links INTEGER (limit of links per document; above it, all links are counted whatever their types and ends,
//   except for an end of the path); $hyperlink STRING (link type to ignore)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (chunks in which a parser found
//   it); full BOOLEAN; links INTEGER (of its documents; for an end at most $most + 1); via LIST<LIST> (per link to it:
//   position in $asked.names, ids of both documents)
CALL () {
  UNWIND range(0, size($asked.names) - 1) AS place
  MATCH (x:Overstory {id: $asked.names[place]}) WHERE x:Entity AND x.corpus = $corpus
  CALL (x) {
    MATCH (x)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    WHERE a.source = 'title' AND (a.full OR x.id IN $ends)
    WITH d ORDER BY d.id LIMIT $documents
    CALL (d) {
      MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE l.type <> $hyperlink AND t <> d
      RETURN t LIMIT $most
    }
    RETURN DISTINCT d, t
  }
  WITH t, collect([x, place, d.id]) AS sources
  MATCH (t)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity)
  WHERE a.source = 'title' AND (a.full OR e.id IN $ends) AND ($asked.only IS NULL OR e.id IN $asked.only)
  UNWIND sources AS source
  WITH t, e, source WHERE e <> source[0]
  RETURN e, [source[1], source[2], t.id] AS link
  UNION ALL
  UNWIND $asked.met AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  RETURN e, null AS link
}
WITH e, collect(DISTINCT link) AS via
CALL (e) {
  MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR e.id IN $ends)
  WITH d ORDER BY d.id LIMIT $documents
  WITH d, COUNT { (d)-[:LINKS]->() } + COUNT { (d)<-[:LINKS]-() } AS degree
  RETURN sum(CASE WHEN degree > $most_links AND NOT e.id IN $ends THEN degree ELSE COUNT {
    MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE l.type <> $hyperlink AND t <> d
    RETURN l LIMIT $most + 1
  } END) AS links
}
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type,
  CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df, coalesce(e.df, 0) AS parsed,
  true AS full, links, via

// -- retrieve/path_neighbours
// Extend paths: find the entities that passages mention together with some entities, or that facts connect with them.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of entities to return;
//   all); subjects BOOLEAN (also return subjects of a passage that only one passage mentions)}; $most INTEGER
//   (passages, and facts, to read per entity); $ends LIST<STRING> (ids of entities to return even if only one passage
//   mentions them)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (chunks in which a parser found
//   it); full BOOLEAN (a passage has it as its own name); met LIST<INTEGER> (positions in the list of the entities it
//   was found with)
UNWIND range(0, size($asked.names) - 1) AS place
MATCH (x:Overstory {id: $asked.names[place]}) WHERE x:Entity AND x.corpus = $corpus
CALL (x) {
  CALL (x) {
    MATCH (x)-[:MENTIONS|ABOUT]-(c:Overstory:Chunk)
    WITH DISTINCT c LIMIT $most
    MATCH (c)-[:MENTIONS|ABOUT]-(e:Overstory:Entity)
    RETURN e
    UNION ALL
    MATCH (x)-[:RELATED]-(e:Overstory:Entity)
    RETURN e LIMIT $most
  }
  RETURN DISTINCT e
}
WITH e, place WHERE e <> x AND ($asked.only IS NULL OR e.id IN $asked.only)
WITH e, collect(place) AS met
WITH e, met, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df 
WHERE df > 1 OR e.id IN $ends OR ($asked.subjects AND e.subject)
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type, df, coalesce(e.df, 0) AS parsed,
  coalesce(e.subject, false) AND EXISTS { (e)-[:ABOUT {full: true}]->(:Overstory) } AS full, met

// -- retrieve/path_neighbours_among
// Extend paths within some passages: find the entities that these mention, and those that facts connect with a name.
// Parameters: $asked MAP {names LIST<MAP {id STRING (of an entity); chunks LIST<STRING> (ids of passages that mention
//   it); others LIST<STRING> (ids of entities that facts connect with it)}>; only LIST<STRING> or null (ids of entities
//   to return; all); subjects BOOLEAN (also return subjects of a passage that only one passage mentions)}; $ends
//   LIST<STRING> (ids of entities to return even if only one passage mentions them); $own LIST<STRING> (values of
//   ABOUT.source that come from the passage itself)
// Rows: as in `retrieve/path_neighbours`
UNWIND range(0, size($asked.names) - 1) AS place
WITH place, $asked.names[place] AS asked
CALL (asked) {
  CALL (asked) {
    UNWIND asked.chunks AS id
    MATCH (c:Overstory {id: id})
    MATCH (c)-[m:MENTIONS|ABOUT]-(e:Overstory:Entity) WHERE type(m) = 'MENTIONS' OR m.source IN $own
    RETURN e
    UNION ALL
    UNWIND asked.others AS id
    MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
    RETURN e
  }
  RETURN DISTINCT e
}
WITH e, place, asked WHERE e.id <> asked.id AND ($asked.only IS NULL OR e.id IN $asked.only)
WITH e, collect(place) AS met
WITH e, met, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df
WHERE df > 1 OR e.id IN $ends OR ($asked.subjects AND e.subject)
RETURN e.id AS id, e.key AS key, e.name AS name, e.type AS type, df, coalesce(e.df, 0) AS parsed,
  coalesce(e.subject, false) AND EXISTS { (e)-[:ABOUT {full: true}]->(:Overstory) } AS full, met

// -- retrieve/path_link_steps
// Read the links between documents titled by two entities.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities)}; $ends LIST<STRING> (ids of entities that may
//   be part of a title); $documents INTEGER (documents to read per entity); $most INTEGER (links to return per pair);
//   $hyperlink STRING (link type to ignore)
// Rows: pair INTEGER (position in the list); type, text STRING; subject, object STRING (entity at the start and at the
//   end); chunks LIST<STRING> (first chunk of the start document and of the end document); documents LIST<STRING> (ids,
//   of the pair's first entity and of its second); one row per link
UNWIND range(0, size($asked.pairs) - 1) AS pair
MATCH (x:Overstory {id: $asked.pairs[pair][0]}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $asked.pairs[pair][1]}) WHERE y:Entity AND y.corpus = $corpus
CALL (x) {
  MATCH (x)-[a:ABOUT]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR x.id IN $ends)
  RETURN c, d ORDER BY d.id LIMIT $documents
}
CALL (y) {
  MATCH (y)-[a:ABOUT]->(b:Overstory:Chunk)-[:PART_OF]->(t:Overstory:Document)
  WHERE a.source = 'title' AND (a.full OR y.id IN $ends)
  RETURN b, t ORDER BY t.id LIMIT $documents
}
CALL (x, y, c, d, b, t) {
  MATCH (d)-[l:LINKS]-(t) WHERE l.type <> $hyperlink AND d <> t
  RETURN l.type AS type, l.text AS text,
    CASE WHEN startNode(l) = d THEN x.name ELSE y.name END AS subject,
    CASE WHEN startNode(l) = d THEN y.name ELSE x.name END AS object,
    CASE WHEN startNode(l) = d THEN [c.id, b.id] ELSE [b.id, c.id] END AS chunks
  ORDER BY l.weight DESC, type, text LIMIT $most
}
RETURN pair, type, text, subject, object, chunks, [d.id, t.id] AS documents

// -- retrieve/path_steps
// Read the facts and passages that connect two entities.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities, the rarer first)}; $most INTEGER (passages,
//   and facts, to return per pair; first those with both entities in a sentence); $as_of DATE or null (leave out facts
//   that were said, or began, later)
// Rows: pair INTEGER (position in the list); together INTEGER (passages with both); passages LIST<MAP {chunk, document
//   STRING (ids); first, second LIST<LIST<INTEGER>> (sentences that mention each entity, one list per kind of mention);
//   about_first, about_second LIST<STRING> (values of ABOUT.source); longer_first, longer_second LIST<STRING> (ids of
//   entities in the passage whose names contain the entity's name)}>; facts LIST<MAP {chunk, document, subject,
//   predicate, object, quote STRING; sentence INTEGER or null; times MAP (properties of the statement)}>
UNWIND range(0, size($asked.pairs) - 1) AS pair
MATCH (x:Overstory {id: $asked.pairs[pair][0]}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $asked.pairs[pair][1]}) WHERE y:Entity AND y.corpus = $corpus
CALL (x, y) {
  MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk)
  WITH y, c, collect(coalesce(m.sentences, CASE type(m) WHEN 'MENTIONS' THEN [] END)) AS first
  MATCH (c)-[m:MENTIONS|ABOUT]-(y)
  WITH c, first, collect(coalesce(m.sentences, CASE type(m) WHEN 'MENTIONS' THEN [] END)) AS second
  WITH c, first, second, any(some IN first WHERE any(s IN some WHERE any(other IN second WHERE s IN other))) AS close
  ORDER BY close DESC, c.id
  RETURN collect([c, first, second]) AS shared
}
RETURN pair, size(shared) AS together,
  COLLECT {
    UNWIND shared[..$most] AS one
    WITH x, y, one[0] AS c, one[1] AS first, one[2] AS second
    RETURN {chunk: c.id, document: [(c)-[:PART_OF]->(d:Overstory:Document) | d.id][0], first: first, second: second,
      about_first: [(x)-[a:ABOUT]->(c) | a.source], about_second: [(y)-[a:ABOUT]->(c) | a.source],
      longer_first: [(c)-[:MENTIONS]->(e:Overstory:Entity)
        WHERE e <> x AND ' ' + e.key + ' ' CONTAINS ' ' + x.key + ' ' | e.id],
      longer_second: [(c)-[:MENTIONS]->(e:Overstory:Entity)
        WHERE e <> y AND ' ' + e.key + ' ' CONTAINS ' ' + y.key + ' ' | e.id]}
  } AS passages,
  COLLECT {
    MATCH (x)-[:RELATED]-(y)
    WITH DISTINCT x, y
    MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
    WITH y, f LIMIT 1000000 // makes the plan read the facts of the rarer name
    MATCH (f)-[:SUBJECT|OBJECT]->(y)
    MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    WHERE $as_of IS NULL OR coalesce(s.holds_from <= $as_of, true) AND coalesce(s.said_at <= $as_of, true)
    RETURN {chunk: c.id, document: d.id, subject: f.subject, predicate: f.predicate, object: f.object, quote: s.quote,
      sentence: s.sentence, times: s {.holds_from, .holds_from_precision, .holds_to, .holds_to_precision, .said_at, .said_at_precision, .ended,
        .time_words}} ORDER BY c.id, s.position, f.id LIMIT $most
  } AS facts

// -- retrieve/path_documents
// Find the short documents that mention two entities, each with the two nearest chunks.
// Parameters: $rarer, $other STRING (ids of the entities; fewer chunks mention the first); $looked_at INTEGER (chunks of
//   the first to read); $most_chunks INTEGER (longer documents are left out); $own LIST<STRING> (values of ABOUT.source
//   that come from the passage itself)
// Rows: documents LIST<LIST> (id of a document; ids of two chunks in reading order, each followed by the number of the
//   sentence with its entity); nearest chunks first; one row
MATCH (x:Overstory {id: $rarer}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $other}) WHERE y:Entity AND y.corpus = $corpus
CALL (x, y) {
  MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk) WHERE type(m) = 'MENTIONS' OR m.source IN $own
  WITH y, c, min(coalesce(head(m.sentences), 0)) AS sentence LIMIT $looked_at
  MATCH (c)-[:PART_OF]->(d:Overstory:Document) WHERE d.chunks <= $most_chunks
  MATCH (d)<-[:PART_OF]-(o:Overstory:Chunk)-[m:MENTIONS|ABOUT]-(y)
  WHERE o <> c AND (type(m) = 'MENTIONS' OR m.source IN $own)
  WITH d, c, sentence, o, min(coalesce(head(m.sentences), 0)) AS other
  ORDER BY abs(c.seq - o.seq), c.seq, o.seq
  WITH d, head(collect({distance: abs(c.seq - o.seq), chunks: CASE WHEN c.seq < o.seq
    THEN [d.id, c.id, sentence, o.id, other] ELSE [d.id, o.id, other, c.id, sentence] END})) AS nearest
  ORDER BY nearest.distance, d.id
  RETURN collect(nearest.chunks) AS documents
}
RETURN documents

// -- retrieve/names_in_chunks
// Read the entities of some passages, with their spellings in text, titles, headings and definitions.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: id, key STRING (of an entity); surfaces LIST<STRING> (one per mention); titled LIST<STRING> (spellings in
//   titles, headings and definitions); chunks INTEGER
UNWIND $chunks AS chunk
MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity)
  RETURN e, coalesce(m.surfaces, []) AS surfaces, [] AS titled
  UNION ALL
  MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.surface IS NOT NULL
  RETURN e, [] AS surfaces, [a.surface] AS titled
}
WITH e, collect(DISTINCT c) AS chunks, collect(surfaces) AS written, collect(titled) AS titles
RETURN e.id AS id, e.key AS key, size(chunks) AS chunks,
  reduce(all = [], some IN written | all + some) AS surfaces, reduce(all = [], some IN titles | all + some) AS titled

// -- retrieve/path_passages
// Read the passages that mention some entities or are about them, and the entities that facts connect with them, with
// the documents of both.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities)}; $most INTEGER (passages, and facts, to read per
//   entity); $own LIST<STRING> (values of ABOUT.source that come from the passage itself)
// Rows: id STRING; passages LIST<LIST<STRING>> (ids of a chunk and of its document); tied LIST<LIST<STRING>> (ids of
//   the other entity of a fact, and of a document that states the fact); one row per existing entity
UNWIND $asked.names AS id
MATCH (x:Overstory {id: id}) WHERE x:Entity AND x.corpus = $corpus
RETURN id,
  COLLECT {
    MATCH (x)-[m:MENTIONS|ABOUT]-(c:Overstory:Chunk) WHERE type(m) = 'MENTIONS' OR m.source IN $own
    WITH DISTINCT c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [c.id, d.id]
  } AS passages,
  COLLECT {
    MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
    WITH DISTINCT x, f LIMIT $most
    MATCH (f)-[:SUBJECT|OBJECT]->(e:Overstory:Entity) WHERE e <> x
    MATCH (f)-[:STATED_IN]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN DISTINCT [e.id, d.id]
  } AS tied
