// -- systems/hirag/tree/about_entity
// Describe some communities of the layered graph by their strongest entities, and by the passages of their descriptions
// nearest to the community's vector.
// Parameters: $asked LIST<LIST> (id of a community, vector as LIST<FLOAT>, may be empty); $property STRING (of the
//   chunks' vectors); $most INTEGER (entities to read per community); $nearest, $names INTEGER (items to return)
// Rows: id STRING; passages LIST<LIST> (id of a chunk, cosine; nearest first); members LIST<LIST> (id of an entity of
//   any layer, null; strongest first); names LIST<LIST> (name, number of passages that mention it or its description is
//   based on; strongest first)
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
// Read some entities of the layered graph for display.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING; type STRING or null; passages INTEGER (that mention it, or that its description is based on)
UNWIND $ids AS id
MATCH (m:Overstory {id: id}) WHERE m:HiragEntity AND m.corpus = $corpus
OPTIONAL MATCH (m)-[:STANDS_FOR]->(entity:Overstory:Entity)
RETURN id, m.name AS name, m.type AS type,
  CASE WHEN entity IS NULL THEN COUNT { (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk) } ELSE coalesce(entity.df, 0) END AS passages
