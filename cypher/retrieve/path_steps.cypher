// What ties two names together: the facts that have both, and the passages that mention, or are about, both.
// Parameters: $asked MAP {pairs LIST<LIST<STRING>> (ids of two entities, the rarer one first)} (in a map, since the
//   server plans a statement again for each order of magnitude of a list); $most INTEGER (passages, and facts, of a pair
//   that are told: those first that have both names in a sentence)
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
