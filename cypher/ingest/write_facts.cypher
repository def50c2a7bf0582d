// Makes sure that facts are there and tied to the entities that are their subjects and objects, marks them for the
// entities stage, and writes where they are stated; a statement must not be there yet.
// Parameters: $by STRING; $rows LIST<MAP {id, subject, predicate, object STRING; subject_entity, object_entity
//   STRING or null (it is none); statements LIST<MAP {chunk, quote STRING; position, sentence INTEGER}>}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:Fact:$($corpus), f.corpus = $corpus, f.subject = row.subject, f.predicate = row.predicate,
  f.object = row.object
SET f:$($corpus + '_Stale')
WITH f, row
OPTIONAL MATCH (s:Overstory {id: row.subject_entity})
OPTIONAL MATCH (o:Overstory {id: row.object_entity})
FOREACH (_ IN CASE WHEN s IS NULL THEN [] ELSE [1] END | MERGE (f)-[:SUBJECT]->(s))
FOREACH (_ IN CASE WHEN o IS NULL THEN [] ELSE [1] END | MERGE (f)-[:OBJECT]->(o))
WITH f, row
UNWIND row.statements AS statement
MATCH (c:Overstory {id: statement.chunk})
CREATE (f)-[:STATED_IN {by: $by, position: statement.position, sentence: statement.sentence, quote: statement.quote}]->(c)
