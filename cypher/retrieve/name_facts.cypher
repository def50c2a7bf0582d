// One name: the facts that have it, and the names that facts tie to it.
// Parameters: $id STRING (of the entity); $looked_at INTEGER (facts, and ties, that are looked at); $limit INTEGER (facts,
//   and names, that are told: first those that most passages state, of names those that facts tie to it most often)
// Rows: type STRING; aliases LIST<STRING>; held INTEGER (facts, those that have it twice counted twice);
//   facts LIST<MAP {subject, predicate, object, sentence, chunk STRING; passages INTEGER (that state it)}>;
//   related LIST<MAP {name, type STRING; predicates LIST<STRING>; statements INTEGER}>; one, or none without the name
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
RETURN coalesce(x.type, '') AS type, coalesce(x.aliases, []) AS aliases,
  COUNT { (x)<-[:SUBJECT]-() } + COUNT { (x)<-[:OBJECT]-() } AS held,
  COLLECT {
    MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
    WITH f LIMIT $looked_at
    WITH DISTINCT f
    WITH f, COUNT { (f)-[:STATED_IN]->() } AS passages ORDER BY passages DESC, f.id LIMIT $limit
    CALL (f) {
      MATCH (f)-[s:STATED_IN]->(c:Overstory:Chunk)
      RETURN s.quote AS sentence, c.id AS chunk ORDER BY c.id, s.position LIMIT 1
    }
    RETURN {subject: f.subject, predicate: f.predicate, object: f.object, sentence: sentence, chunk: chunk,
      passages: passages}
  } AS facts,
  COLLECT {
    MATCH (x)-[r:RELATED]-(other:Overstory:Entity)
    WITH x, r, other LIMIT $looked_at
    WITH x, r, other WHERE other <> x ORDER BY r.weight DESC, r.predicate
    WITH other, sum(r.weight) AS statements, collect(DISTINCT r.predicate) AS predicates
    ORDER BY statements DESC, other.name, other.id LIMIT $limit
    RETURN {name: other.name, type: coalesce(other.type, ''), predicates: predicates, statements: statements}
  } AS related
