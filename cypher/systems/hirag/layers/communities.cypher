// Some summaries, or the root above all of them.
// Parameters: $ids LIST<STRING>; $generation INTEGER
// Rows: id STRING; level, size INTEGER (entities of layer 0 below it); below INTEGER (right below it); above LIST<STRING>
//   (the summaries above it, by id, the nearest first); title, summary STRING (null where it was deleted with a passage);
//   volume, cut, vector, entropy, entropy_below null
CALL () {
  MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = $generation
  RETURN max(e.layer) AS top, count(CASE WHEN e.layer = 0 AND EXISTS { (e)-[:SUMMARIZED_BY]->() } THEN 1 END) AS whole,
    count(CASE WHEN e.layer > 0 AND NOT EXISTS { (e)-[:SUMMARIZED_BY]->() } THEN 1 END) AS highest
}
UNWIND $ids AS id
OPTIONAL MATCH (x:Overstory {id: id}) WHERE x:{{corpus}}_HiragEntity
OPTIONAL MATCH (x)-[:HAS_DESCRIPTION]->(d:{{corpus}}_HiragDescription)
RETURN id, CASE WHEN x IS NULL THEN 0 ELSE top + 1 - x.layer END AS level,
  CASE WHEN x IS NULL THEN whole ELSE
    COUNT {
      MATCH way = (x)<-[:SUMMARIZED_BY*1..8]-(leaf:{{corpus}}_HiragEntity)
      WHERE leaf.layer = 0 AND all(s IN relationships(way) WHERE NOT EXISTS {
        MATCH (m)-[o:SUMMARIZED_BY]->(p)
        WHERE m = startNode(s) AND (o.weight > s.weight OR (o.weight = s.weight AND p.ref < endNode(s).ref))
      })
    }
  END AS size,
  CASE WHEN x IS NULL THEN highest ELSE
    COUNT {
      MATCH (x)<-[s:SUMMARIZED_BY]-(m:{{corpus}}_HiragEntity) WHERE NOT EXISTS {
        MATCH (m)-[o:SUMMARIZED_BY]->(p) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < x.ref)
      }
    }
  END AS below,
  COLLECT {
    MATCH way = (x)-[:SUMMARIZED_BY*1..8]->(up:{{corpus}}_HiragEntity)
    WHERE all(s IN relationships(way) WHERE NOT EXISTS {
      MATCH (m)-[o:SUMMARIZED_BY]->(p)
      WHERE m = startNode(s) AND (o.weight > s.weight OR (o.weight = s.weight AND p.ref < endNode(s).ref))
    })
    RETURN up.id ORDER BY length(way)
  } AS above,
  x.name + CASE WHEN coalesce(x.type, '') IN ['', 'other'] THEN '' ELSE ' (' + x.type + ')' END AS title,
  d.text AS summary, null AS volume, null AS cut, null AS vector, null AS entropy, null AS entropy_below
