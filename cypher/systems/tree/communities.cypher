// Some communities of a tree: their figures, and what they and all nodes below them bring to the entropy of the tree.
// Parameters: $ids LIST<STRING>; $whole FLOAT (volume of the tree's root); $own BOOLEAN (whether the system writes titles of
//   its own)
// Rows: id STRING; level, size INTEGER; below INTEGER (communities and leaves right below it); leaves INTEGER (of
//   these); volume, cut FLOAT; vector BYTES (float16, little endian); entropy, entropy_below FLOAT (bits); above LIST<STRING> (the
//   communities that it is in, by id, the smallest first, without the root); title, summary STRING (of its report
//   where it has one, else its own; null where the system writes none)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)-[:CHILD_OF]->(parent:Overstory:TreeNode) WHERE t.cut > 0
CALL (t) {
  MATCH (below:Overstory:TreeNode)-[:CHILD_OF]->(middle:Overstory:TreeNode)-[:CHILD_OF*0..]->(t) WHERE below.cut > 0
  RETURN sum(below.cut * log(middle.volume / below.volume)) AS terms
}
OPTIONAL MATCH (t)-[:HAS_REPORT]->(report:Overstory:CommunityReport)
RETURN id, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut, t.vector AS vector,
  CASE WHEN report IS NOT NULL THEN report.title WHEN $own THEN t.title END AS title,
  CASE WHEN report IS NOT NULL THEN report.summary WHEN $own THEN t.summary END AS summary,
  COUNT { (t)<-[:CHILD_OF]-() } AS below,
  COUNT { (t)<-[:CHILD_OF]-(leaf:Overstory:TreeNode) WHERE leaf.vector IS NULL } AS leaves,
  coalesce(t.cut / $whole * log(parent.volume / t.volume) / log(2), 0.0) AS entropy,
  CASE WHEN $whole > 0 THEN terms / $whole / log(2) ELSE 0.0 END AS entropy_below,
  COLLECT { MATCH way = (t)-[:CHILD_OF*1..]->(up:Overstory:TreeNode) WHERE up.level > 0 RETURN up.id ORDER BY length(way) } AS above
