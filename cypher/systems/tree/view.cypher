// -- systems/tree/begins
// Find communities of a tree by a prefix of their ids.
// Parameters: $begins STRING (prefix); $tree STRING; $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER; ordered by id
MATCH (t:Overstory)
USING INDEX SEEK t:Overstory(id)
WHERE t.id STARTS WITH $begins AND t:TreeNode AND t.corpus = $corpus
  AND t.tree = $tree AND t.generation = $generation AND t.vector IS NOT NULL
RETURN t.id AS id, t.size AS size ORDER BY id LIMIT $limit

// -- systems/tree/levels
// Count the communities of each level of a tree, with their share of its entropy.
// Parameters: $tree STRING; $generation INTEGER
// Rows: root STRING (id); whole FLOAT (volume of the root); size INTEGER (leaves of the root); alone INTEGER (leaves
//   directly below the root); level, communities INTEGER; entropy FLOAT (bits, of all nodes of the level); from the
//   root down; no row if there is no such tree
MATCH (root:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK root:TreeNode(corpus, tree, generation)
WHERE root.level = 0
CALL (root) {
  MATCH (root)<-[:CHILD_OF]-(leaf:Overstory:TreeNode) WHERE leaf.vector IS NULL
  RETURN count(leaf) AS alone
}
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode) WHERE t.cut > 0
RETURN root.id AS root, root.volume AS whole, root.size AS size, alone, t.level AS level, count(t.vector) AS communities,
  sum(t.cut / root.volume * log(above.volume / t.volume)) / log(2) AS entropy
ORDER BY level

// -- systems/tree/about_chunk
// Describe some communities of passages by the passages nearest to their vectors, and by their characteristic names. A
// name is characteristic if it is specific and more frequent in these passages than in the corpus: n times specificity
// alone would put "American" first everywhere.
// Parameters: $asked LIST<LIST> (id of a community, vector as LIST<FLOAT>, may be empty); $property STRING (of the
//   chunks' vectors); $most INTEGER (passages to read per community: directly below it first, then by volume);
//   $nearest, $names INTEGER (items to return)
// Rows: id STRING; passages, members LIST<LIST> (id of a chunk, cosine; nearest first; members are directly below the
//   community); names LIST<LIST> (name, number of these passages that mention it; most characteristic first)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(c:Overstory:Chunk)
  WITH c, leaf, size(way) = 1 AS is_member ORDER BY is_member DESC, leaf.volume DESC, c.id LIMIT $most
  RETURN collect(c) AS read, count(CASE WHEN is_member THEN 1 END) AS members
}
WITH chunks, one, read, members,
  COLLECT {
    UNWIND read AS c
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS passages,
  COLLECT {
    UNWIND CASE WHEN members < size(read) THEN read[..members] ELSE [] END AS c
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS nearest_members
RETURN one[0] AS id, passages, CASE WHEN members < size(read) THEN nearest_members ELSE passages END AS members,
  COLLECT {
    UNWIND read AS c
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
    WITH e, count(DISTINCT c) AS times
    WITH e, times,
      times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
    WITH e, times, weight, weight * log(1.0 * times * chunks / (size(read) * coalesce(e.df, times))) AS tells
    ORDER BY tells DESC, weight DESC, e.name LIMIT $names
    RETURN [e.name, times]
  } AS names

// -- systems/tree/about_document
// Describe some communities of documents by the passages nearest to their vectors, the documents of these passages, and
// characteristic names.
// Parameters: $asked LIST<LIST> (id of a community, vector as LIST<FLOAT>, may be empty); $property STRING (of the
//   chunks' vectors); $most INTEGER (documents to read per community, directly below it first, then by volume; and
//   their passages, first passages first); $nearest, $names INTEGER (items to return)
// Rows: id STRING; passages LIST<LIST> (id of a chunk, cosine; nearest first); members LIST<LIST> (id of a document
//   directly below it, cosine of its nearest passage; nearest first); names LIST<LIST> (name, number of these passages
//   that mention it; most characteristic first, as in about_chunk)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t, one) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(d:Overstory:Document)
  WITH one, d, leaf, size(way) = 1 AS is_member ORDER BY is_member DESC, leaf.volume DESC, d.id LIMIT $most
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH one, d, is_member, c ORDER BY c.seq, d.id LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
    WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
  WITH d, is_member, c,
    CASE WHEN size(one[1]) > 0 THEN coalesce(2 * vector.similarity.cosine(v[$property], one[1]) - 1, 0.0) ELSE 0.0 END
    AS similarity
  RETURN collect({document: d.id, is_member: is_member, chunk: c, similarity: similarity}) AS found
}
RETURN one[0] AS id,
  COLLECT {
    UNWIND found AS each
    WITH each WHERE each.chunk IS NOT NULL
    ORDER BY each.similarity DESC, each.chunk.id LIMIT $nearest
    RETURN [each.chunk.id, each.similarity]
  } AS passages,
  COLLECT {
    UNWIND found AS each
    WITH each WHERE each.is_member
    WITH each.document AS document, max(each.similarity) AS similarity
    ORDER BY similarity DESC, document LIMIT $nearest
    RETURN [document, similarity]
  } AS members,
  COLLECT {
    UNWIND found AS each
    WITH each.chunk AS c, size(found) AS looked_at
    MATCH (c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN ['ner', 'openie']
    WITH e, looked_at, count(DISTINCT c) AS times
    WITH e, looked_at, times,
      times * coalesce(round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 12), 0.0) AS weight
    WITH e, times, weight, weight * log(1.0 * times * chunks / (looked_at * coalesce(e.df, times))) AS tells
    ORDER BY tells DESC, weight DESC, e.name LIMIT $names
    RETURN [e.name, times]
  } AS names

// -- systems/tree/about_entity
// Describe some communities of entities by their strongest entities, and by the passages with most of these that are
// nearest to their vectors. An entity is in one community only, so each is characteristic; entities with many edges
// inside the community and specific names come first.
// Parameters: $asked LIST<LIST> (id of a community, vector as LIST<FLOAT>, may be empty); $property STRING (of the
//   chunks' vectors); $most INTEGER (entities to read per community, directly below it first; and passages per entity);
//   $nearest, $names INTEGER (items to return)
// Rows: id STRING; passages LIST<LIST> (id of a chunk, cosine; nearest first); members LIST<LIST> (id of an entity
//   directly below it, null; strongest first); names LIST<LIST> (name, number of passages that mention it; strongest
//   first)
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
WITH coalesce(corpus.chunks, 0) AS chunks
UNWIND $asked AS one
MATCH (t:Overstory {id: one[0]}) WHERE t:TreeNode AND t.corpus = $corpus
CALL (t, chunks) {
  MATCH (t)<-[way:CHILD_OF*1..]-(leaf:Overstory:TreeNode)-[:COVERS]->(e:Overstory:Entity)
  WITH e, size(way) = 1 AS is_member,
    leaf.volume * round(log(1.0 + 1.0 * chunks / (1 + coalesce(e.df, 0))) / log(1.0 + chunks), 12) AS strength
  ORDER BY is_member DESC, strength DESC, e.id LIMIT $most
  WITH e, is_member ORDER BY strength DESC, e.id
  RETURN collect(e) AS read, collect(CASE WHEN is_member THEN e.id END) AS members
}
RETURN one[0] AS id,
  COLLECT {
    UNWIND read[..20] AS e
    CALL (e) {
      MATCH (e)<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE m.by IN ['ner', 'openie']
      RETURN DISTINCT c ORDER BY c.id LIMIT $most
    }
    WITH c, count(e) AS mentioned ORDER BY mentioned DESC, c.id LIMIT $most
    OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
      WHERE any(x IN v[$property] WHERE x < 0.0 OR x > 0.0)
    WITH c, CASE WHEN size(one[1]) > 0 THEN 2 * vector.similarity.cosine(v[$property], one[1]) - 1 END AS similarity
    WITH c, coalesce(similarity, 0.0) AS similarity ORDER BY similarity DESC, c.id LIMIT $nearest
    RETURN [c.id, similarity]
  } AS passages,
  [id IN members[..$nearest] | [id, null]] AS members,
  [e IN read[..$names] | [e.name, coalesce(e.df, 0)]] AS names

// -- systems/tree/children
// Find the largest communities directly below some communities. A bottom community has none, only leaves.
// Parameters: $ids LIST<STRING>; $skip, $limit INTEGER (per community)
// Rows: id STRING; communities LIST<STRING> (ids, largest first)
UNWIND $ids AS id
MATCH (above:Overstory {id: id}) WHERE above:TreeNode AND above.corpus = $corpus
RETURN id,
  COLLECT {
    MATCH (t:Overstory:TreeNode)-[:CHILD_OF]->(above) WHERE t.vector IS NOT NULL
    RETURN t.id ORDER BY t.size DESC, t.id SKIP $skip LIMIT $limit
  } AS communities

// -- systems/tree/communities
// Read some communities of a tree, with their share and the share of all nodes below them of the tree's entropy.
// Parameters: $ids LIST<STRING>; $whole FLOAT (volume of the root); $own BOOLEAN (the system writes its own titles)
// Rows: id STRING; level, size INTEGER; below INTEGER (communities and leaves directly below); leaves INTEGER (of
//   these); volume, cut FLOAT; vector BYTES (float16, little endian); entropy, entropy_below FLOAT (bits); above
//   LIST<STRING> (ids of the communities above, smallest first, without the root); title, summary STRING (of its
//   report, otherwise its own, or null)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)-[:CHILD_OF]->(parent:Overstory:TreeNode) WHERE t.cut > 0
CALL (t) {
  MATCH (below:Overstory:TreeNode)-[:CHILD_OF]->(middle:Overstory:TreeNode)-[:CHILD_OF*0..]->(t) WHERE below.cut > 0
  RETURN sum(below.cut * log(middle.volume / below.volume)) AS terms
}
OPTIONAL MATCH (t)-[:HAS_REPORT]->(report:Overstory:CommunityReport)
RETURN id, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut, t.vector AS vector,
  CASE WHEN report IS NOT NULL THEN report.title WHEN $own THEN t.title END AS title,
  CASE WHEN report IS NOT NULL THEN report.summary WHEN $own THEN t.summary END AS summary,
  COUNT { (t)<-[:CHILD_OF]-() } AS below,
  COUNT { (t)<-[:CHILD_OF]-(leaf:Overstory:TreeNode) WHERE leaf.vector IS NULL } AS leaves,
  coalesce(t.cut / $whole * log(parent.volume / t.volume) / log(2), 0.0) AS entropy,
  CASE WHEN $whole > 0 THEN terms / $whole / log(2) ELSE 0.0 END AS entropy_below,
  COLLECT { MATCH way = (t)-[:CHILD_OF*1..]->(up:Overstory:TreeNode) WHERE up.level > 0 RETURN up.id ORDER BY length(way) } AS above

// -- systems/tree/entities
// Read some entities for display.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING; type STRING or null; passages INTEGER (that mention it)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e.corpus = $corpus
RETURN id, e.name AS name, e.type AS type, coalesce(e.df, 0) AS passages
