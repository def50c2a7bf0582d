// -- systems/hirag/layers/about_entity
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

// -- systems/hirag/layers/begins
// The summaries whose ids begin so.
// Parameters: $begins STRING; $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER (its members); in order of id
MATCH (x:Overstory)
USING INDEX SEEK x:Overstory(id)
WHERE x.id STARTS WITH $begins AND x:HiragEntity AND x.corpus = $corpus AND x.generation = $generation AND x.layer > 0
RETURN x.id AS id, COUNT { (x)<-[:SUMMARIZED_BY]-() } AS size ORDER BY id LIMIT $limit

// -- systems/hirag/layers/children
// The summaries right below some; below the root those that no other summarises, of whatever layer. None below a summary
// of entities of layer 0.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $skip, $limit INTEGER (of each)
// Rows: id STRING; communities LIST<STRING> (ids, those with most members first)
UNWIND $ids AS id
OPTIONAL MATCH (x:Overstory {id: id}) WHERE x:HiragEntity AND x.corpus = $corpus
RETURN id,
  CASE WHEN x IS NULL THEN
    COLLECT {
      MATCH (m:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
      WHERE m.layer > 0 AND NOT EXISTS { (m)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) }
      RETURN m.id ORDER BY m.layer DESC, COUNT { (m)<-[:SUMMARIZED_BY]-(:Overstory:HiragEntity) } DESC, m.ref SKIP $skip LIMIT $limit
    }
  ELSE
    COLLECT {
      MATCH (x)<-[s:SUMMARIZED_BY]-(m:Overstory:HiragEntity) WHERE m.layer > 0
        AND NOT EXISTS {
          MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < x.ref)
        }
      RETURN m.id ORDER BY COUNT { (m)<-[:SUMMARIZED_BY]-(:Overstory:HiragEntity) } DESC, m.ref SKIP $skip LIMIT $limit
    }
  END AS communities

// -- systems/hirag/layers/communities
// Some summaries, or the root above all of them.
// Parameters: $ids LIST<STRING>; $generation INTEGER
// Rows: id STRING; level, size INTEGER (entities of layer 0 below it); below INTEGER (right below it); leaves INTEGER (those
//   of them of layer 0); above LIST<STRING> (the summaries above it, by id, the nearest first); title, summary STRING (null where it was deleted with a passage);
//   volume, cut, vector, entropy, entropy_below null
CALL () {
  MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
  USING INDEX SEEK e:HiragEntity(corpus, generation)
  RETURN max(e.layer) AS top, count(CASE WHEN e.layer = 0 AND EXISTS { (e)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) } THEN 1 END) AS whole,
    count(CASE WHEN e.layer > 0 AND NOT EXISTS { (e)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) } THEN 1 END) AS highest
}
UNWIND $ids AS id
OPTIONAL MATCH (x:Overstory {id: id}) WHERE x:HiragEntity AND x.corpus = $corpus
OPTIONAL MATCH (x)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
CALL (x) {
  OPTIONAL MATCH way = (x)((y:Overstory:HiragEntity)<-[s:SUMMARIZED_BY]-(m:Overstory:HiragEntity) WHERE NOT EXISTS {
    MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < y.ref)
  }){1,8}(leaf)
  RETURN count(CASE WHEN leaf.layer = 0 THEN 1 END) AS entities, count(CASE WHEN length(way) = 1 THEN 1 END) AS members,
    count(CASE WHEN length(way) = 1 AND leaf.layer = 0 THEN 1 END) AS leaves
}
CALL (x) {
  OPTIONAL MATCH way = (x)((m:Overstory:HiragEntity)-[s:SUMMARIZED_BY]->(y:Overstory:HiragEntity) WHERE NOT EXISTS {
    MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < y.ref)
  }){1,8}(up)
  WITH up ORDER BY length(way)
  RETURN collect(up.id) AS above
}
RETURN id, CASE WHEN x IS NULL THEN 0 ELSE top + 1 - x.layer END AS level,
  CASE WHEN x IS NULL THEN whole ELSE entities END AS size, CASE WHEN x IS NULL THEN highest ELSE members END AS below,
  leaves, above,
  x.name + CASE WHEN coalesce(x.type, '') IN ['', 'other'] THEN '' ELSE ' (' + x.type + ')' END AS title,
  d.text AS summary, null AS volume, null AS cut, null AS vector, null AS entropy, null AS entropy_below

// -- systems/hirag/layers/levels
// The summary layers as the levels of a tree: an entity hangs below the summary that it is tied to most strongly.
// Parameters: $generation INTEGER
// Rows: root STRING (the id of no entity); size INTEGER (entities of layer 0 with a summary); alone INTEGER (those
//   without one); level, communities INTEGER (summaries of one layer, the highest is level 1); whole, entropy null; from
//   the root down, the entities of layer 0 last; none where there is no such generation
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
WITH e.layer AS layer, count(e) AS entities,
  count(CASE WHEN e.layer = 0 AND EXISTS { (e)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) } THEN 1 END) AS summarised
ORDER BY layer
WITH collect({layer: layer, entities: entities, summarised: summarised}) AS layers
WITH layers, size(layers) - 1 AS top, head(layers) AS base
WHERE base IS NOT NULL OR EXISTS {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'hirag', generation: $generation})
} // without an entity
UNWIND range(0, top + 1) AS level
RETURN $corpus AS root, coalesce(base.summarised, 0) AS size, coalesce(base.entities - base.summarised, 0) AS alone, level,
  CASE level WHEN 0 THEN 1 WHEN top + 1 THEN 0 ELSE layers[top + 1 - level].entities END AS communities,
  null AS whole, null AS entropy
ORDER BY level

// -- systems/hirag/layers/stands_on
// The documents that some summaries stand on: those that mention an entity below, or that something known of one stands on;
// of each only the first that are met.
// Parameters: $ids LIST<STRING> (summaries); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:HiragEntity AND t.corpus = $corpus
RETURN id, COLLECT {
  MATCH (t)<-[:SUMMARIZED_BY*0..]-(unit:Overstory:HiragEntity)
  CALL (unit) {
    MATCH (unit)-[:STANDS_FOR]->(:Overstory:Entity)-[:MENTIONS|ABOUT]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
    UNION ALL
    MATCH (unit)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
    UNION ALL
    MATCH (unit)-[:HAS_DESCRIPTION]->(:Overstory)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
  }
  RETURN DISTINCT d.id LIMIT $most
} AS documents
