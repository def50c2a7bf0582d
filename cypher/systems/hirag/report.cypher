// How many reports a generation has, and how many communities lack one.
// Parameters: $generation INTEGER
// Rows: reports, without INTEGER; one
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'hirag', generation: $generation})-[:HAS_REPORT]->(r:Overstory:HiragReport)
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  RETURN count(DISTINCT r) AS reports
}
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'hirag', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.level > 0 AND t.vector IS NOT NULL
    AND NOT EXISTS { (t)-[:HAS_REPORT]->(:Overstory:HiragReport) }
  RETURN count(t) AS without
}
RETURN reports, without
