// What is right below some communities of a tree, summed.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; volume, cut FLOAT
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)<-[:CHILD_OF]-(below:Overstory:TreeNode)
RETURN id, sum(below.volume) AS volume, sum(below.cut) AS cut
