// -- retrieve/compared_names
// Read all names that passages mention, to compare them with each other.
// Parameters: $aliases INTEGER (aliases per name)
// Rows: key, name, type STRING; passages INTEGER; aliases LIST<STRING>; unordered
MATCH (e:{{corpus}}_Entity)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages
WHERE passages > 0
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, passages,
  coalesce(e.aliases, [])[..$aliases] AS aliases

// -- retrieve/merge_evidence
// Read the evidence for merging pairs of names from their passages. $asked is a map, because the server plans a
// statement again for each order of magnitude of a list.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities, the rarer first)}; $most INTEGER (passages to
//   read per name); $least INTEGER, $share FLOAT (names in more passages than $least and than this share of all are no
//   evidence)
// Rows: pair INTEGER (position in the list); read INTEGER (passages of the rarer name that were read); together
//   LIST<STRING> (ids of passages with both); others LIST<STRING> (names mentioned with either, in different passages)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND range(0, size($asked.pairs) - 1) AS pair
MATCH (x:Overstory {id: $asked.pairs[pair][0]}) WHERE x:Entity AND x.corpus = $corpus
MATCH (y:Overstory {id: $asked.pairs[pair][1]}) WHERE y:Entity AND y.corpus = $corpus
CALL (x) {
  MATCH (x)<-[:MENTIONS]-(c:Overstory:Chunk)
  WITH c LIMIT $most
  RETURN collect(DISTINCT c) AS ofx
}
CALL (y) {
  MATCH (y)<-[:MENTIONS]-(c:Overstory:Chunk)
  WITH c LIMIT $most
  RETURN collect(DISTINCT c) AS ofy
}
RETURN pair, size(ofx) AS read,
  COLLECT { UNWIND ofx AS c WITH c, y WHERE EXISTS { (c)-[:MENTIONS]->(y) } RETURN c.id } AS together,
  COLLECT {
    CALL (x, y, ofx, ofy, chunks) {
      UNWIND ofx AS c
      MATCH (c)-[:MENTIONS]->(e:Overstory:Entity) WHERE e <> x AND e <> y AND (e.df <= $least OR e.df <= $share * chunks)
      RETURN DISTINCT e
      UNION ALL
      UNWIND ofy AS c
      WITH x, y, c, chunks WHERE NOT c IN ofx
      MATCH (c)-[:MENTIONS]->(e:Overstory:Entity) WHERE e <> x AND e <> y AND (e.df <= $least OR e.df <= $share * chunks)
      RETURN DISTINCT e
    }
    WITH e, count(*) AS sides WHERE sides = 2
    RETURN e.name
  } AS others

// -- retrieve/merge_passages
// Read passages that mention an entity, with the spellings.
// Parameters: $asked MAP {rows LIST<MAP {entity STRING (id); chunks LIST<STRING> (ids; empty for all)}>}; $most INTEGER
//   (passages per entity)
// Rows: row INTEGER (position in the list); passages LIST<MAP {chunk, document, source, source_key, title, text STRING;
//   boilerplate LIST<INTEGER> or null; surfaces LIST<STRING>}>
UNWIND range(0, size($asked.rows) - 1) AS row
MATCH (e:Overstory {id: $asked.rows[row].entity}) WHERE e:Entity AND e.corpus = $corpus
RETURN row, COLLECT {
  MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  WHERE size($asked.rows[row].chunks) = 0 OR c.id IN $asked.rows[row].chunks
  WITH c, d, m LIMIT $most
  RETURN {chunk: c.id, document: d.id, source: d.source, source_key: d.source_key, title: c.title, text: c.text,
    boilerplate: c.boilerplate, surfaces: m.surfaces}
} AS passages
