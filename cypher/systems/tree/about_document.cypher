// What some communities of documents are about: the passages nearest to their vectors, the documents that have these, and
// the names that tell them from the rest.
// Parameters: $asked LIST<LIST> (the id of a community, its vector as LIST<FLOAT>, empty where it points nowhere);
//   $property STRING (where the vectors of chunks are); $most INTEGER (documents of a community that are looked at, those
//   right below it first, then those of the greatest volume, and passages of these, the first of each before any second); $nearest, $names INTEGER (how
//   many to return)
// Rows: id STRING; passages LIST<LIST> (the id of a chunk, -1 to 1; nearest first); members LIST<LIST> (the id of a
//   document right below it, the same of its nearest passage; nearest first); names LIST<LIST> (a name, how many of the passages mention
//   it; those that tell most first, as in about_chunk)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t, one) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(d:Overstory:Document)
  WITH one, d, leaf, size(way) = 1 AS is_member ORDER BY is_member DESC, leaf.volume DESC, d.id LIMIT $most
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH one, d, is_member, c ORDER BY c.seq, d.id LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
    WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
  WITH d, is_member, c,
    CASE WHEN size(one[1]) > 0 THEN coalesce(2 * vector.similarity.cosine(v[$property], one[1]) - 1, 0.0) ELSE 0.0 END
    AS similarity
  RETURN collect({document: d.id, is_member: is_member, chunk: c, similarity: similarity}) AS found
}
RETURN one[0] AS id,
  COLLECT {
    UNWIND found AS each
    WITH each WHERE each.chunk IS NOT NULL
    ORDER BY each.similarity DESC, each.chunk.id LIMIT $nearest
    RETURN [each.chunk.id, each.similarity]
  } AS passages,
  COLLECT {
    UNWIND found AS each
    WITH each WHERE each.is_member
    WITH each.document AS document, max(each.similarity) AS similarity
    ORDER BY similarity DESC, document LIMIT $nearest
    RETURN [document, similarity]
  } AS members,
  COLLECT {
    UNWIND found AS each
    WITH each.chunk AS c, size(found) AS looked_at
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
    WITH e, looked_at, count(DISTINCT c) AS times
    WITH e, looked_at, times,
      times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
    WITH e, times, weight, weight * log(1.0 * times * chunks / (looked_at * coalesce(e.df, times))) AS tells
    ORDER BY tells DESC, weight DESC, e.name LIMIT $names
    RETURN [e.name, times]
  } AS names
