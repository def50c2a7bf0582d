// Some chunks with what they mention, are about and state. Where a chunk has OpenIE triples, the mentions of the
// dictionary come too: they know the sentences, which triples do not.
// Parameters: $ids LIST<STRING> (of chunks); $sure FLOAT (the weight from which a chunk is about a name)
// Rows: id STRING; seq INTEGER; starts LIST<INTEGER> (first character of each sentence); boilerplate LIST<INTEGER>;
//   mentions LIST<LIST> (id of an entity, who found it, numbers of the sentences); about LIST<LIST> (id of an entity,
//   weight); statements LIST<LIST> (ids of subject and object or null, who found it, number of the sentence or null,
//   position); in order of id
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
WITH c, EXISTS { (c)-[:MENTIONS {by: 'openie'}]->(:Overstory:Entity) } AS openie
RETURN c.id AS id, c.seq AS seq, coalesce(c.sentences, []) AS starts, coalesce(c.boilerplate, []) AS boilerplate,
  COLLECT {
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE openie OR m.by <> 'dictionary'
    RETURN [e.id, m.by, coalesce(m.sentences, [])]
  } AS mentions,
  COLLECT {
    MATCH (c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.full AND a.weight >= $sure AND a.common IS NULL
    RETURN [e.id, a.weight]
  } AS about,
  COLLECT {
    MATCH (c)<-[s:STATED_IN]-(f:Overstory:Fact)
    OPTIONAL MATCH (f)-[:SUBJECT]->(subject:Overstory:Entity)
    OPTIONAL MATCH (f)-[:OBJECT]->(object:Overstory:Entity)
    WITH s, subject, object WHERE subject IS NOT NULL OR object IS NOT NULL
    RETURN [subject.id, object.id, s.by, s.sentence, s.position]
  } AS statements
ORDER BY id
