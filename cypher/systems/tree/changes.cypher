// -- systems/tree/cover
// Connect leaves of a tree to the units they represent.
// Parameters: $rows LIST<MAP {id, unit STRING}>; $labels LIST<STRING> (labels that delete a leaf with its unit)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id, corpus: $corpus})
MATCH (unit:Overstory {id: row.unit, corpus: $corpus})
SET t:$($labels)
MERGE (t)-[:COVERS]->(unit)

// -- systems/tree/place_nodes
// Move nodes of a tree below new parents.
// Parameters: $rows LIST<MAP {id, parent STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id})
MATCH (above:Overstory {id: row.parent})
CALL (t) {
  MATCH (t)-[old:CHILD_OF]->(:Overstory)
  DELETE old
}
CREATE (t)-[:CHILD_OF]->(above)

// -- systems/tree/title_of_passages
// Write titles of communities of passages, except the root, from their characteristic names, weighed as in
// systems/tree/about_chunk.
// Parameters: $rows LIST<MAP {id STRING}>; $most INTEGER (passages to read per community, greatest volume first);
//   $names INTEGER (names per title)
// Rows: none
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $rows AS row
MATCH (t:Overstory {id: row.id}) WHERE t:TreeNode AND t.corpus = $corpus AND t.vector IS NOT NULL AND t.level > 0
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(c:Overstory:Chunk)
  WITH c, leaf ORDER BY leaf.volume DESC, c.id LIMIT $most
  RETURN collect(c) AS read
}
WITH t, COLLECT {
  UNWIND read AS c
  MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
  WITH e, count(DISTINCT c) AS times
  WITH e, times,
    times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
  WITH e, times, weight, weight * log(1.0 * times * chunks / (size(read) * coalesce(e.df, times))) AS tells
  ORDER BY tells DESC, weight DESC, e.name LIMIT $names
  RETURN e.name
} AS names
SET t.named = true, t.title = CASE WHEN size(names) > 0 THEN reduce(title = names[0], name IN names[1..] | title + ', ' + name) END

// -- systems/tree/write_nodes
// Write nodes of a tree with all their properties.
// Parameters: $rows LIST<MAP {id STRING, properties MAP}>; $labels LIST<STRING> (of the tree's system)
// Rows: none
UNWIND $rows AS row
MERGE (t:Overstory {id: row.id})
SET t += row.properties, t:TreeNode:$($corpus):$($corpus + '_TreeNode'):$($corpus + '_Derived'), t:$($labels)
