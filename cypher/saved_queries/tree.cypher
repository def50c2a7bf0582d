// Tree: its upper communities
// Parameters: none
// Rows: part PATH (from a community to the one that it is in); a picture of at most 60 communities, the upper ones
//   first, of a level the largest first. Needs overstory index --system serag
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.generation = corpus.generation_serag AND t.tree = 'serag' AND t.level > 0 AND t.vector IS NOT NULL
WITH t ORDER BY t.level, t.size DESC, t.id LIMIT 60
MATCH part = (t)-[:CHILD_OF]->()
RETURN part
