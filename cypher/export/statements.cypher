// The facts that some chunks state.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, subject, subject_key, predicate, object, object_key, by, quote STRING; position INTEGER;
//   sentence INTEGER or null; a key is "" where the argument is no entity; ordered
UNWIND $chunks AS chunk
MATCH (:Overstory {id: chunk, corpus: $corpus})<-[st:STATED_IN]-(f:Overstory:Fact)
OPTIONAL MATCH (f)-[:SUBJECT]->(s:Overstory:Entity)
OPTIONAL MATCH (f)-[:OBJECT]->(o:Overstory:Entity)
RETURN chunk, f.subject AS subject, coalesce(s.key, '') AS subject_key, f.predicate AS predicate, f.object AS object,
  coalesce(o.key, '') AS object_key, st.by AS by, st.position AS position, st.sentence AS sentence, st.quote AS quote
ORDER BY chunk, by, position, subject, predicate, object
