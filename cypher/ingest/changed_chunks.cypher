// Changed chunks, with what the mentions stage wrote for them.
// Parameters: $ids LIST<STRING>; $sure FLOAT (the least weight of subjects)
// Rows: id, text STRING; language STRING or null; boilerplate LIST<INTEGER> (its spans); sentences LIST<INTEGER> (first characters); subjects LIST<STRING> (keys of what it is about);
//   mentions LIST<LIST> (key, surfaces and sentences of each that the dictionary found)
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
RETURN c.id AS id, c.text AS text, c.language AS language, coalesce(c.boilerplate, []) AS boilerplate, coalesce(c.sentences, [0]) AS sentences,
  [(c)<-[a:ABOUT]-(e:Overstory:Entity) WHERE a.weight >= $sure | e.key] AS subjects,
  [(c)-[m:MENTIONS {by: 'dictionary'}]->(e:Overstory:Entity) | [e.key, m.surfaces, m.sentences]] AS mentions
