// One name where a filter leaves documents out: how passages write it, and its facts with the documents that state them.
// Parameters: $id STRING (of the entity); $looked_at INTEGER (facts that are looked at); $most INTEGER (passages of the
//   name, and statements of its facts, that are looked at)
// Rows: type STRING; held INTEGER (facts, those that have it twice counted twice);
//   written LIST<LIST> (id of a document; how one of its passages writes the name, a string for each time);
//   titled LIST<LIST<STRING>> (id of a document; how a title, heading or definition of it writes the name);
//   facts LIST<MAP {id, subject, predicate, object STRING; ends LIST<MAP {id, type, text STRING}> (the other names it has)}>;
//   stated LIST<LIST<STRING>> (ids of a fact, a chunk that states it and the chunk's document); one, or none without the
//   name
MATCH (x:Overstory {id: $id}) WHERE x:Entity AND x.corpus = $corpus
CALL (x) {
  MATCH (x)<-[:SUBJECT|OBJECT]-(f:Overstory:Fact)
  WITH f LIMIT $looked_at
  RETURN collect(DISTINCT f) AS known
}
RETURN coalesce(x.type, '') AS type,
  COUNT { (x)<-[:SUBJECT]-() } + COUNT { (x)<-[:OBJECT]-() } AS held,
  COLLECT {
    MATCH (x)<-[m:MENTIONS]-(c:Overstory:Chunk)
    WITH m, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [d.id, coalesce(m.surfaces, [])]
  } AS written,
  COLLECT {
    MATCH (x)-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.surface IS NOT NULL
    WITH a, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [d.id, a.surface]
  } AS titled,
  [f IN known | {id: f.id, subject: f.subject, predicate: f.predicate, object: f.object,
    ends: [(f)-[r:SUBJECT|OBJECT]->(e:Overstory:Entity) WHERE e <> x |
      {id: e.id, type: coalesce(e.type, ''), text: CASE type(r) WHEN 'SUBJECT' THEN f.subject ELSE f.object END}]}
  ] AS facts,
  COLLECT {
    UNWIND known AS f
    MATCH (f)-[:STATED_IN]->(c:Overstory:Chunk)
    WITH DISTINCT f, c LIMIT $most
    MATCH (c)-[:PART_OF]->(d:Overstory:Document)
    RETURN [f.id, c.id, d.id]
  } AS stated
