// Deletes chunks with the nodes that stand on them, and marks what they mentioned, stated and were about for the stages
// that follow, and the communities of trees that lose a leaf or their report. Titles of communities go where these were
// taken from passages. A leaf of such a node stays, with what the node was tied to. What such nodes share goes with the
// last of them, as does what that alone shared; a vector goes with the last of its chunks.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
CALL (c) {
  MATCH (c)-[m:MENTIONS]->(entity:Overstory:Entity)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed'),
    entity.said_in = CASE m.by WHEN 'dictionary' THEN entity.said_in - 1 ELSE entity.said_in END
}
CALL (c) {
  MATCH (entity:Overstory:Entity)-[:ABOUT]->(c)
  SET entity:$($corpus + '_Stale'):$($corpus + '_Changed')
}
CALL (c) {
  MATCH (fact:Overstory:Fact)-[:STATED_IN]->(c)
  SET fact:$($corpus + '_Stale')
}
CALL (c) {
  MATCH (c)<-[:COVERS]-(:Overstory:TreeNode)-[:CHILD_OF]->(community:Overstory:TreeNode)
  SET community:$($corpus + '_Parted')
}
CALL (c) {
  MATCH (c)<-[:COVERS]-(:Overstory:TreeNode)-[:CHILD_OF*1..]->(community:Overstory:TreeNode)
  WHERE community.named
  REMOVE community.title, community.named
}
CALL (c) {
  MATCH (c)<-[:STANDS_ON]-(:Overstory:OfChunk)<-[:HAS_REPORT]-(community:Overstory:TreeNode)
  SET community:$($corpus + '_Unreported')
  WITH community WHERE community.named
  REMOVE community.title, community.summary, community.named
}
CALL (c) {
  MATCH (leaf:Overstory:TreeNode)-[:COVERS]->(n:Overstory:OfChunk)-->(c)
  WITH DISTINCT leaf, n
  SET leaf:$($corpus + '_Uncovered'), leaf.unit = n.id, leaf.layer = n.layer,
    leaf.ends = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN other.id ORDER BY other.id, type(r), r.weight
    },
    leaf.ties = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN CASE n WHEN startNode(r) THEN '>' ELSE '<' END + type(r) ORDER BY other.id, type(r), r.weight
    },
    leaf.weights = COLLECT {
      MATCH (n)-[r]-(other:Overstory) WHERE r.weight IS NOT NULL AND other.derived IS NOT NULL
      RETURN r.weight ORDER BY other.id, type(r), r.weight
    }
}
CALL (c) {
  MATCH (n:Overstory:OfChunk)-->(c)
  OPTIONAL MATCH (n)-->(shared:Overstory:Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  OPTIONAL MATCH (s)-->(below:Overstory:Shared)
  WITH collect(DISTINCT s) AS unused, collect(DISTINCT below) AS below
  FOREACH (s IN unused | DETACH DELETE s)
  WITH below
  UNWIND below AS b
  WITH b WHERE NOT EXISTS { (b)<--(:Overstory) }
  DETACH DELETE b
}
OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
WITH collect(c) AS chunks, collect(DISTINCT v) AS vectors
FOREACH (c IN chunks | DETACH DELETE c)
WITH vectors
UNWIND vectors AS v
WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() }
DETACH DELETE v
