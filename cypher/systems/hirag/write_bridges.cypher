// Writes bridges: the cheapest paths between central entities of two communities.
// Parameters: $rows LIST<MAP {from, to STRING; names, refs, entities LIST<STRING>; cost FLOAT; hops INTEGER}> (ids of
//   communities, from below to; names, refs and ids of the entities on the way from one to the other)
// Rows: none
UNWIND $rows AS row
MATCH (one:Overstory {id: row.from})
MATCH (other:Overstory {id: row.to})
WHERE one:TreeNode AND one.corpus = $corpus AND other:TreeNode AND other.corpus = $corpus
MERGE (one)-[bridge:BRIDGE]->(other)
SET one:$($corpus + '_HiragBridged'), bridge.names = row.names, bridge.refs = row.refs, bridge.entities = row.entities,
  bridge.cost = row.cost, bridge.hops = row.hops
