// -- systems/hirag/tree/about_entity
// What some communities of the layered graph are about: their strongest entities, and the passages nearest to their
// vectors of those that say what is known of these.
// Parameters: $asked LIST<LIST> (the id of a community, its vector as LIST<FLOAT>, empty where it points nowhere);
//   $property STRING (where the vectors of chunks are); $most INTEGER (entities of a community that are looked at);
//   $nearest, $names INTEGER (how many to return)
// Rows: id STRING; passages LIST<LIST> (the id of a chunk, -1 to 1; nearest first); members LIST<LIST> (the id of an
//   entity of any layer, null; strongest first); names LIST<LIST> (a name, how many passages mention it, or say what is
//   known of it; strongest first)
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(m:Overstory:HiragEntity)
  WITH m ORDER BY leaf.volume DESC, m.ref LIMIT $most
  RETURN collect(m) AS members
}
RETURN one[0] AS id,
  COLLECT {
    UNWIND members[..20] AS m
    MATCH (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(c:Overstory:Chunk)
    WITH DISTINCT c
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS passages,
  [m IN members[..$nearest] | [m.id, null]] AS members,
  COLLECT {
    UNWIND members[..$names] AS m
    OPTIONAL MATCH (m)-[:STANDS_FOR]->(entity:Overstory:Entity)
    RETURN [m.name, CASE WHEN entity IS NULL THEN COUNT { (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk) } ELSE coalesce(entity.df, 0) END]
  } AS names

// -- systems/hirag/tree/entities
// Some entities of the layered graph, to be shown.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING; type STRING or null; passages INTEGER (that mention it, or say what is known of it)
UNWIND $ids AS id
MATCH (m:Overstory {id: id}) WHERE m:HiragEntity AND m.corpus = $corpus
OPTIONAL MATCH (m)-[:STANDS_FOR]->(entity:Overstory:Entity)
RETURN id, m.name AS name, m.type AS type,
  CASE WHEN entity IS NULL THEN COUNT { (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk) } ELSE coalesce(entity.df, 0) END AS passages
