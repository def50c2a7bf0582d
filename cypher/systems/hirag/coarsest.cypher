// The reports of the coarsest communities, those that matter most first.
// Parameters: $root STRING (id of the tree's root); $level INTEGER (down to which level, from 1, at most 2);
//   $limit INTEGER; $most INTEGER (passages of each, the most important)
// Rows: reports LIST<LIST> (id, level and size of the community; id of its report; the report's properties; ids of
//   passages); one
RETURN COLLECT {
  MATCH (:Overstory {id: $root, corpus: $corpus})<-[:CHILD_OF*1..2]-(t:Overstory:HiragCommunity)-[:HAS_REPORT]->(r:Overstory:HiragReport)
  WHERE t.level <= $level
  WITH t, r ORDER BY r.rating * log(1 + t.size) DESC, t.id LIMIT $limit
  RETURN [t.id, t.level, t.size, r.id, properties(r),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }]
} AS reports
