// $asked is a map, since the server plans a statement again for each order of magnitude of a list.

// -- retrieve/path_ends
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

// -- retrieve/path_suggestions
// Names that stand in the passages which share words with a name that is not there.
// Parameters: $index STRING (full text of chunks); $query STRING (Lucene, escaped); $depth INTEGER (passages)
// Rows: key, name STRING; df INTEGER (chunks that mention it)
CALL db.index.fulltext.queryNodes($index, $query, {limit: $depth}) YIELD node AS c
WITH c WHERE c:Chunk AND c.corpus = $corpus
MATCH (c)-[:MENTIONS]->(e:Overstory:Entity)
WITH DISTINCT e
RETURN e.key AS key, e.name AS name, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS df

// -- retrieve/path_links
// Where paths go on by links: the names that are titles of the documents which links, in either direction, tie to those
// that have some names as titles; and how many links names have.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of the entities that are
//   wanted; all of them); met LIST<STRING> (ids of entities whose links are counted)}; $ends LIST<STRING> (ids of
//   entities that may be a part of a title); $documents INTEGER (of a name, that are looked at); $most INTEGER (links
//   of a document that are looked at); $most_links INTEGER (of a document; those of one with more are counted whatever
//   their types and ends, unless it is an end's); $hyperlink STRING (the type of links that lead nowhere)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (those in which a parser saw a
//   name); full BOOLEAN; links INTEGER (that its documents have, each of an end $most + 1 at most); via LIST<LIST>
//   (for each link that leads to it the place in $asked.names of where it leads from, and the ids of both documents)
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
// Where paths go on: the names that passages mention, or are about, together with some names, or facts tie to them.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities); only LIST<STRING> or null (ids of the entities that are
//   wanted; all of them); subjects BOOLEAN (those that a passage is about are told although one passage alone mentions
//   them)}; $most INTEGER (passages, and facts, of each name that are looked at); $ends LIST<STRING> (ids of entities
//   that are told although one passage alone mentions them)
// Rows: id, key, name, type STRING; df INTEGER (chunks that mention it); parsed INTEGER (those in which a parser saw a
//   name); full BOOLEAN (a passage has it as its own name); met LIST<INTEGER> (places in the list of those it is with)
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
// Where paths go on among some passages: the names that these mention, or are about, and those that facts tie to a name.
// Parameters: $asked MAP {names LIST<MAP {id STRING (of an entity); chunks LIST<STRING> (ids of passages that mention
//   it); others LIST<STRING> (ids of entities that facts tie to it)}>; only LIST<STRING> or null (ids of the entities
//   that are wanted; all of them); subjects BOOLEAN (those that a passage is about are told although one passage alone
//   mentions them)}; $ends LIST<STRING> (ids of entities that are told although one passage alone mentions them); $own
//   LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: as those of `retrieve/path_neighbours`
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
// What links say of two names: those between documents that have one name and the other as their titles.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities)}; $ends LIST<STRING> (ids of entities that may
//   be a part of a title); $documents INTEGER (of a name, that are looked at); $most INTEGER (links of a pair that are
//   told); $hyperlink STRING (the type of links that say nothing)
// Rows: pair INTEGER (its place in the list); type, text STRING; subject, object STRING (the name that it starts from, and
//   the other one); chunks LIST<STRING> (the first of the document that it starts from, and of the other one);
//   documents LIST<STRING> (ids; that of the first name of the pair, and of the second); one a link
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
// What ties two names together: the facts that have both, and the passages that mention, or are about, both.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities, the rarer one first)}; $most INTEGER
//   (passages, and facts, of a pair that are told: those first that have both names in a sentence)
// Rows: pair INTEGER (its place in the list); together INTEGER (such passages);
//   passages LIST<MAP {chunk, document STRING (ids); first, second LIST<LIST<INTEGER>> (the sentences that say the names, a list for
//   each kind of mention);
//   about_first, about_second LIST<STRING> (why the passage is about them);
//   longer_first, longer_second LIST<STRING> (ids of the names in the passage that have the name as a part)}>,
//   facts LIST<MAP {chunk, document, subject, predicate, object, quote STRING; sentence INTEGER or null}>
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
    WITH y, f LIMIT 1000000 // so that the facts of the rarer name are read, and not those of the other
    MATCH (f)-[:SUBJECT|OBJECT]->(y)
    MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN {chunk: c.id, document: d.id, subject: f.subject, predicate: f.predicate, object: f.object, quote: s.quote,
      sentence: s.sentence} ORDER BY c.id, s.position, f.id LIMIT $most
  } AS facts

// -- retrieve/names_in_chunks
// The names that some passages mention, or have as titles, headings and definitions, and how these write them.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: id, key STRING (of an entity); surfaces LIST<STRING> (one for each time that it is written in the text);
//   titled LIST<STRING> (as titles, headings and definitions write it); chunks INTEGER
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
// The passages that mention some names, or are about them, and the names that facts tie to them, with the documents of both.
// Parameters: $asked MAP {names LIST<STRING> (ids of entities)}; $most INTEGER (passages, and facts, of each name that
//   are looked at); $own LIST<STRING> (why a passage may be about a name: for its own words)
// Rows: id STRING; passages LIST<LIST<STRING>> (ids of a chunk and of its document); tied LIST<LIST<STRING>> (ids of the
//   other entity of a fact, and of a document that states it); one for each name that there is
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
