// -- systems/tretriever/nearest_exact
// Find the nodes of the tree nearest to a vector, on all levels, and the vertices below each. Compares all nodes.
// Parameters: $vector LIST<FLOAT>; $limit INTEGER; $generation INTEGER; $sets BOOLEAN (false for leaves alone);
//   $neighbours BOOLEAN (a leaf adds its neighbours); $leaves INTEGER (vertices and neighbours to read per node);
//   $vertices INTEGER (vertices to return per node); $most INTEGER (passages per summary)
// Rows: found LIST<LIST> (per node, nearest first: id, whether it is a set, level, size or, for a leaf, its neighbours,
//   cosine, title and summary or "", for a leaf its name, ids of the summary's passages, number of vertices read,
//   LIST<LIST> of the nearest vertices: id, name, cosine); one row
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'tretriever', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.embedding IS NOT NULL AND ($sets OR t.size = 1)
  WITH t, 2 * vector.similarity.cosine(t.embedding, $vector) - 1 AS cosine ORDER BY cosine DESC, t.id LIMIT $limit
  RETURN collect([t, cosine]) AS nearest
}
CALL (nearest) {
  UNWIND range(0, size(nearest) - 1) AS place
  WITH place, nearest[place][0] AS t, nearest[place][1] AS cosine
  CALL (t) {
    CALL (t) {
      MATCH (t)<-[:CHILD_OF*0..]-(leaf:Overstory:TretrieverNode) WHERE leaf.size = 1
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:TRETRIEVER_EDGE]-(leaf:Overstory:TretrieverNode) WHERE $neighbours
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:COVERS]->(:Overstory:Document)-[:LINKS]-(:Overstory:Document)<-[:COVERS]-(leaf:Overstory:TretrieverNode)
      WHERE $neighbours AND leaf.generation = t.generation
      RETURN DISTINCT leaf LIMIT $leaves
    }
    MATCH (leaf)-[:COVERS]->(unit:Overstory)
    WITH unit, coalesce(2 * vector.similarity.cosine(leaf.embedding, $vector) - 1, -1.0) AS near
    ORDER BY near DESC, leaf = t DESC, unit.id
    RETURN count(unit) AS seen, collect([unit.id, coalesce(nullIf(unit.title, ''), unit.name, unit.source_key, ''), near])[..$vertices] AS members
  }
  OPTIONAL MATCH (t)-[:COVERS]->(vertex:Overstory)
  WITH place, t, cosine, seen, members, coalesce(nullIf(vertex.title, ''), vertex.name, vertex.source_key, '') AS own
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:TretrieverSummary)
  WITH place, [t.id, t.size > 1, t.level, CASE t.size WHEN 1 THEN seen ELSE t.size END, cosine,
    CASE t.size WHEN 1 THEN own ELSE coalesce(r.title, '') END, coalesce(r.summary, ''),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }, seen, members] AS one
  ORDER BY place
  RETURN collect(one) AS found
}
RETURN found

// -- systems/tretriever/nearest_index
// Find the same with the vector index of a generation.
// Parameters: as in nearest_exact, without $generation; $vector_index STRING; $vector_depth INTEGER (results to request
//   from the index)
// Rows: as in nearest_exact; near INTEGER (nodes that the index returned); one row
// Since: Neo4j 2026.04 (SEARCH)
CALL () {
  CALL db.index.vector.queryNodes($vector_index, $vector_depth, $vector) YIELD node AS t, score
  // since: MATCH (t) SEARCH t IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $vector_depth) SCORE AS score
  WITH t, score ORDER BY score DESC, t.id
  WITH collect([t, 2 * score - 1]) AS returned
  RETURN [each IN returned WHERE $sets OR each[0].size = 1][..$limit] AS nearest, size(returned) AS near
}
CALL (nearest) {
  UNWIND range(0, size(nearest) - 1) AS place
  WITH place, nearest[place][0] AS t, nearest[place][1] AS cosine
  CALL (t) {
    CALL (t) {
      MATCH (t)<-[:CHILD_OF*0..]-(leaf:Overstory:TretrieverNode) WHERE leaf.size = 1
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:TRETRIEVER_EDGE]-(leaf:Overstory:TretrieverNode) WHERE $neighbours
      RETURN leaf LIMIT $leaves
      UNION
      MATCH (t)-[:COVERS]->(:Overstory:Document)-[:LINKS]-(:Overstory:Document)<-[:COVERS]-(leaf:Overstory:TretrieverNode)
      WHERE $neighbours AND leaf.generation = t.generation
      RETURN DISTINCT leaf LIMIT $leaves
    }
    MATCH (leaf)-[:COVERS]->(unit:Overstory)
    WITH unit, coalesce(2 * vector.similarity.cosine(leaf.embedding, $vector) - 1, -1.0) AS likeness
    ORDER BY likeness DESC, leaf = t DESC, unit.id
    RETURN count(unit) AS seen, collect([unit.id, coalesce(nullIf(unit.title, ''), unit.name, unit.source_key, ''), likeness])[..$vertices] AS members
  }
  OPTIONAL MATCH (t)-[:COVERS]->(vertex:Overstory)
  WITH place, t, cosine, seen, members, coalesce(nullIf(vertex.title, ''), vertex.name, vertex.source_key, '') AS own
  OPTIONAL MATCH (t)-[:HAS_REPORT]->(r:Overstory:TretrieverSummary)
  WITH place, [t.id, t.size > 1, t.level, CASE t.size WHEN 1 THEN seen ELSE t.size END, cosine,
    CASE t.size WHEN 1 THEN own ELSE coalesce(r.title, '') END, coalesce(r.summary, ''),
    COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position LIMIT $most }, seen, members] AS one
  ORDER BY place
  RETURN collect(one) AS found
}
RETURN found, near

// -- systems/tretriever/subgraph_of_documents
// Read the passages of some documents near a vector, and the links between the documents. $asked is a map, because the
// server plans a statement again for each order of magnitude of a list.
// Parameters: $asked MAP {ids LIST<STRING>}; $vector LIST<FLOAT>; $property STRING (of the chunks' vectors); $passages
//   INTEGER (first passages to read per document); $most INTEGER (passages to return per document); $tried INTEGER
//   (links to read per document); $edges INTEGER (edges to return)
// Rows: vertices LIST<LIST> (id; whether passages or links were left unread; LIST<LIST> of passages, nearest first: id,
//   cosine or null); edges LIST<LIST> (ids of both documents, type, text, weight, empty LIST of passages; strongest
//   first); one row
CALL () {
  UNWIND $asked.ids AS id
  MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
  RETURN collect(d) AS documents
}
RETURN COLLECT {
  UNWIND documents AS d
  CALL (d) {
    MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
    WITH c ORDER BY c.seq LIMIT $passages
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, 2 * vector.similarity.cosine(v[$property], $vector) - 1 AS cosine
    ORDER BY coalesce(cosine, -1.0) DESC, c.seq LIMIT $most
    RETURN collect([c.id, cosine]) AS passages
  }
  RETURN [d.id, coalesce(d.chunks, 0) > $passages OR coalesce(d.links, 0) > $tried, passages]
} AS vertices, COLLECT {
  UNWIND documents AS d
  CALL (d) {
    MATCH (d)-[l:LINKS]->(other:Overstory:Document)
    RETURN l, other LIMIT $tried
  }
  WITH d, l, other WHERE other IN documents AND other <> d
  WITH d, l, other ORDER BY l.weight DESC, d.id, other.id, l.type, l.text LIMIT $edges
  RETURN [d.id, other.id, l.type, l.text, l.weight, []]
} AS edges

// -- systems/tretriever/subgraph_of_entities
// Read the passages about some entities, and the edges between the entities. $asked is a map, because the server plans
// a statement again for each order of magnitude of a list.
// Parameters: $asked MAP {ids LIST<STRING>}; $generation INTEGER; $vector LIST<FLOAT>; $property STRING (of the chunks'
//   vectors); $passages INTEGER (passages to read per kind and entity); $most INTEGER (passages to return per entity
//   and per edge); $tried INTEGER (edges to read per entity); $edges INTEGER (edges to return)
// Rows: vertices LIST<LIST> (id; whether edges were left unread; LIST<LIST> of passages: id, cosine or null; first
//   passages about it, then with facts about it, then others that mention it, nearest first); edges LIST<LIST> (ids of
//   both entities, type "", text "", weight, LIST<LIST> of the passages that state it, most important first: id, cosine
//   or null; strongest first); one row
CALL () {
  UNWIND $asked.ids AS id
  MATCH (e:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TretrieverNode)
  WHERE e:Entity AND leaf.generation = $generation
  RETURN collect(leaf) AS leaves, collect([e, leaf]) AS pairs
}
RETURN COLLECT {
  UNWIND pairs AS pair
  WITH pair[0] AS e, pair[1] AS leaf
  CALL (e) {
    CALL (e) {
      MATCH (e)-[a:ABOUT]->(c:Overstory:Chunk) WHERE a.full AND a.common IS NULL
      RETURN c, 0 AS kind LIMIT $passages
      UNION ALL
      MATCH (e)<-[:SUBJECT]-(:Overstory:Fact)-[:STATED_IN]->(c:Overstory:Chunk)
      RETURN c, 1 AS kind LIMIT $passages
      UNION ALL
      MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
      RETURN c, 2 AS kind LIMIT $passages
    }
    WITH c, min(kind) AS kind
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, kind, 2 * vector.similarity.cosine(v[$property], $vector) - 1 AS cosine
    ORDER BY kind, coalesce(cosine, -1.0) DESC, c.id LIMIT $most
    RETURN collect([c.id, cosine]) AS passages
  }
  RETURN [e.id, COUNT { (leaf)-[:TRETRIEVER_EDGE]->() } > $tried, passages]
} AS vertices, COLLECT {
  UNWIND leaves AS leaf
  CALL (leaf) {
    MATCH (leaf)-[edge:TRETRIEVER_EDGE]->(other:Overstory:TretrieverNode)
    RETURN edge, other LIMIT $tried
  }
  WITH leaf, edge, other WHERE other IN leaves
  MATCH (leaf)-[:COVERS]->(source:Overstory:Entity)
  MATCH (other)-[:COVERS]->(target:Overstory:Entity)
  WITH edge, source, target ORDER BY edge.weight DESC, source.id, target.id LIMIT $edges
  RETURN [source.id, target.id, '', '', edge.weight, COLLECT {
    UNWIND edge.chunks[..$most] AS id
    MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    RETURN [c.id, 2 * vector.similarity.cosine(v[$property], $vector) - 1]
  }]
} AS edges
