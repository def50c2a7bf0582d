// What some communities of names are about: their strongest names, and the passages nearest to their vectors of those
// that mention most of these.
// Parameters: $asked LIST<LIST> (the id of a community, its vector as LIST<FLOAT>, empty where it points nowhere);
//   $property STRING (where the vectors of chunks are); $most INTEGER (names of a community that are looked at, those
//   right below it first, and passages of each); $nearest, $names INTEGER (how many to return)
// Rows: id STRING; passages LIST<LIST> (the id of a chunk, -1 to 1; nearest first); members LIST<LIST> (the id of an
//   entity right below it, null; strongest first); names LIST<LIST> (a name, how many passages mention it; strongest first)
// No name is in two communities, so that each tells them apart; those come first that the community's edges meet in, and
// that are specific.
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t, chunks) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(e:Overstory:Entity)
  WITH e, size(way) = 1 AS is_member,
    leaf.volume * round(log(1.0 + 1.0 * chunks / (1 + coalesce(e.df, 0))) / log(1.0 + chunks), 12) AS strength
  ORDER BY is_member DESC, strength DESC, e.id LIMIT $most
  WITH e, is_member ORDER BY strength DESC, e.id
  RETURN collect(e) AS read, collect(CASE WHEN is_member THEN e.id END) AS members
}
RETURN one[0] AS id,
  COLLECT {
    UNWIND read[..20] AS e
    CALL (e) {
      MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE m.by IN ['ner', 'openie']
      RETURN DISTINCT c ORDER BY c.id LIMIT $most
    }
    WITH c, count(e) AS mentioned ORDER BY mentioned DESC, c.id LIMIT $most
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS passages,
  [id IN members[..$nearest] | [id, null]] AS members,
  [e IN read[..$names] | [e.name, coalesce(e.df, 0)]] AS names
