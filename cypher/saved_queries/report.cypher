// Community: its report, and the passages it stands on
// Parameters: $tree STRING (the name of a tree); $community STRING (its id, or enough of its beginning)
// Rows: report, place PATH (from the community over its report to a passage; from there to the community that it is in); a
//   picture of the first 15 passages. Needs the index of a system that writes reports; overstory report has their texts
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
MATCH report = (t)-[:HAS_REPORT]->(:{{corpus}}_CommunityReport)-[s:STANDS_ON]->(:{{corpus}}_Chunk)
WITH t, report, s ORDER BY s.position LIMIT 15
OPTIONAL MATCH place = (t)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
RETURN report, place
