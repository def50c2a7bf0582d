// Tree: its upper communities
// Parameters: $tree STRING (its name)
// Rows: part PATH (from a community to the one that it is in); a picture of at most 60 communities, the upper ones
//   first, of a level the largest first. Needs the index of a system that has trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.level > 0 AND t.vector IS NOT NULL
WITH t ORDER BY t.level, t.size DESC, t.id LIMIT 60
MATCH part = (t)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
RETURN part
