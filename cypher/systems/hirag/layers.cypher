// -- systems/hirag/layers/about_entity
// Describe some summaries by their members, most strongly connected first.
// Parameters: $asked LIST<LIST> (id of a summary, …); $nearest, $names INTEGER (items to return)
// Rows: id STRING; passages LIST<LIST> (id of a chunk it is based on, 0.0); members LIST<LIST> (id of a member of layer
//   0, null); names LIST<LIST> (name of a member, number of passages that mention it or its description is based on)
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
// Find summaries by a prefix of their ids.
// Parameters: $begins STRING (prefix); $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER (members); ordered by id
MATCH (x:Overstory)
USING INDEX SEEK x:Overstory(id)
WHERE x.id STARTS WITH $begins AND x:HiragEntity AND x.corpus = $corpus AND x.generation = $generation AND x.layer > 0
RETURN x.id AS id, COUNT { (x)<-[:SUMMARIZED_BY]-() } AS size ORDER BY id LIMIT $limit

// -- systems/hirag/layers/children
// Find the summaries directly below some summaries. Below the root, these are the summaries of any layer without a
// summary above. A summary of layer 0 entities has none below.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $skip, $limit INTEGER (per summary)
// Rows: id STRING; communities LIST<STRING> (ids, most members first)
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
// Read some summaries, or the root above all of them.
// Parameters: $ids LIST<STRING>; $generation INTEGER
// Rows: id STRING; level, size INTEGER (entities of layer 0 below it); below INTEGER (directly below it); leaves
//   INTEGER (of these, in layer 0); above LIST<STRING> (ids of the summaries above it, nearest first); title, summary
//   STRING (null if deleted with a passage); volume, cut, vector, entropy, entropy_below null
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
// Read the summary layers as levels of a tree. An entity is below the summary to which its connection is strongest.
// Parameters: $generation INTEGER
// Rows: root STRING (not the id of an entity); size INTEGER (entities of layer 0 with a summary); alone INTEGER (those
//   without); level, communities INTEGER (summaries of one layer; the highest layer is level 1); whole, entropy null;
//   from the root down, layer 0 last; no row if there is no such generation
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
// Find the documents on which some summaries are based: they mention an entity below, or the description of one is
// based on them.
// Parameters: $ids LIST<STRING> (summaries); $most INTEGER (documents per summary)
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
