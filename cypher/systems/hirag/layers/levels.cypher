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
