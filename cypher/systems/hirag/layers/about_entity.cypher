// What some summaries stand for: their members, those that they are tied to most strongly first.
// Parameters: $asked LIST<LIST> (the id of a summary, …); $nearest, $names INTEGER (how many to return)
// Rows: id STRING; passages LIST<LIST> (the id of a chunk that it stands on, 0.0); members LIST<LIST> (the id of a member
//   of layer 0, null); names LIST<LIST> (a member's name, how many passages mention it, or say what is known of it)
UNWIND $asked AS one
MATCH (x:Overstory {id: one[0]}) WHERE x:HiragEntity AND x.corpus = $corpus
CALL (x) {
  MATCH (x)<-[s:SUMMARIZED_BY]-(m:Overstory:HiragEntity) WHERE NOT EXISTS {
    MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < x.ref)
  }
  WITH m ORDER BY s.weight DESC, m.ref
  RETURN collect(m) AS members
}
RETURN one[0] AS id,
  COLLECT {
    MATCH (x)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[s:STANDS_ON]->(c:Overstory:Chunk)
    RETURN [c.id, 0.0] ORDER BY s.position LIMIT $nearest
  } AS passages,
  [m IN members WHERE m.layer = 0 | [m.id, null]][..$nearest] AS members,
  COLLECT {
    UNWIND members[..$names] AS m
    OPTIONAL MATCH (m)-[:STANDS_FOR]->(entity:Overstory:Entity)
    RETURN [m.name, CASE WHEN entity IS NULL THEN COUNT { (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk) } ELSE coalesce(entity.df, 0) END]
  } AS names
