// What some communities of passages are about: the passages nearest to their vectors, and the names that tell them from
// the rest.
// Parameters: $asked LIST<LIST> (the id of a community, its vector as LIST<FLOAT>, empty where it points nowhere);
//   $property STRING (where the vectors of chunks are); $most INTEGER (passages of a community that are looked at, those
//   right below it first, then those of the greatest volume); $nearest, $names INTEGER (how many to return)
// Rows: id STRING; passages, members LIST<LIST> (the id of a chunk, -1 to 1; nearest first; members are those right
//   below it); names LIST<LIST> (a name, how many of the passages mention it; the most characteristic first)
// A name is characteristic if it is specific, and if more of these passages mention it than of the corpus: n times
// specificity would put "American" first everywhere.
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(c:Overstory:Chunk)
  WITH c, leaf, size(way) = 1 AS is_member ORDER BY is_member DESC, leaf.volume DESC, c.id LIMIT $most
  RETURN collect(c) AS read, count(CASE WHEN is_member THEN 1 END) AS members
}
WITH chunks, one, read, members,
  COLLECT {
    UNWIND read AS c
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS passages,
  COLLECT {
    UNWIND CASE WHEN members < size(read) THEN read[..members] ELSE [] END AS c
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS nearest_members
RETURN one[0] AS id, passages, CASE WHEN members < size(read) THEN nearest_members ELSE passages END AS members,
  COLLECT {
    UNWIND read AS c
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
    WITH e, count(DISTINCT c) AS times
    WITH e, times,
      times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
    WITH e, times, weight, weight * log(1.0 * times * chunks / (size(read) * coalesce(e.df, times))) AS tells
    ORDER BY tells DESC, weight DESC, e.name LIMIT $names
    RETURN [e.name, times]
  } AS names
