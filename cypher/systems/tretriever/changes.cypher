// -- systems/tretriever/documents_of
// Some documents as vertices, with the links at each.
// Parameters: $ids LIST<STRING>; $property STRING (where vectors are); $most INTEGER (passages of a document whose vectors
//   are returned, the first ones)
// Rows: as those of `documents`, and linked LIST<LIST> (id of a document with a link to this one, weight, type, text)
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  OPTIONAL MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  WITH c ORDER BY c.seq LIMIT $most
  OPTIONAL MATCH (c)-[:HAS_VECTOR]->(v:Overstory:PassageVector)
  RETURN collect(v[$property]) AS vectors, [c IN collect(c) WHERE c.boilerplate IS NOT NULL | c.boilerplate] AS boilerplate
}
RETURN d.id AS id, d.sha256 AS sha256, coalesce(d.chunks, 0) AS chunks, boilerplate, vectors,
  COLLECT { MATCH (d)-[l:LINKS]->(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS links,
  COLLECT { MATCH (d)<-[l:LINKS]-(t:Overstory:Document) RETURN [t.id, l.weight, l.type, l.text] } AS linked
ORDER BY id

// -- systems/tretriever/edges_of
// The edges at some leaves.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of leaves); one, other STRING (of their entities, null where one is gone);
//   weight FLOAT; chunks LIST<STRING> (ids); each once
UNWIND $ids AS id
MATCH (leaf:Overstory {id: id}) WHERE leaf:TretrieverNode AND leaf.corpus = $corpus
MATCH (leaf)-[e:TRETRIEVER_EDGE]-(:Overstory:TretrieverNode)
WITH DISTINCT e
MATCH (a:Overstory:TretrieverNode)-[e]->(b:Overstory:TretrieverNode)
RETURN a.id AS source, b.id AS target, [(a)-[:COVERS]->(unit:Overstory:Entity) | unit.id][0] AS one,
  [(b)-[:COVERS]->(unit:Overstory:Entity) | unit.id][0] AS other, e.weight AS weight, e.chunks AS chunks

// -- systems/tretriever/flipped
// Of some names those that became an entity of the graph, or are none any more, and the names that their chunks mention:
// a sentence ties its names the less the more there are.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $most INTEGER (chunks of a name that are looked at)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact) }) AS counts,
  EXISTS { MATCH (e)<-[:COVERS]-(leaf:Overstory:TretrieverNode) WHERE leaf.generation = $generation } AS stored
WHERE counts <> stored
CALL (e) {
  MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
  RETURN c LIMIT $most
}
WITH DISTINCT c
MATCH (c)-[:MENTIONS|ABOUT]-(other:Overstory:Entity)
RETURN DISTINCT other.id AS id

// -- systems/tretriever/incomplete
// The sets that lost members or their summary since they were written, and the largest ones that hold them. Looks at those
// that deletions have marked.
// Parameters: $generation INTEGER
// Rows: id, top STRING (null of the root); size, lost INTEGER (members); one of each set
CALL () {
  MATCH (t:{{corpus}}_Parted) RETURN t
  UNION
  MATCH (t:{{corpus}}_Unreported) RETURN t
}
WITH t WHERE t:{{corpus}}_TretrieverNode AND t.generation = $generation AND t.vector IS NOT NULL
WITH t, t.size - COLLECT { MATCH (t)<-[:CHILD_OF]-(below:{{corpus}}_TretrieverNode) RETURN sum(below.size) }[0] AS lost
WHERE lost > 0 OR (t.level > 0 AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) })
OPTIONAL MATCH (t)-[:CHILD_OF*0..]->(top:{{corpus}}_TretrieverNode) WHERE top.level = 1
RETURN t.id AS id, top.id AS top, top.size AS size, lost

// -- systems/tretriever/linked
// The documents that links join to some.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (d:Overstory {id: id})-[:LINKS]-(other:Overstory:Document) WHERE d:Document AND d.corpus = $corpus
RETURN DISTINCT other.id AS id

// -- systems/tretriever/names_in
// The entities that some chunks mention or are about.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:MENTIONS|ABOUT]-(e:Overstory:Entity) WHERE c:Chunk AND c.corpus = $corpus
RETURN DISTINCT e.id AS id

// -- systems/tretriever/region
// The root of a generation's tree, and some of the largest sets with all that is below them.
// Parameters: $tops LIST<STRING> (ids); $generation INTEGER
// Rows: as those of `systems/tree/nodes`, and source, edges STRING (digests); embedding LIST<FLOAT> (of a leaf, else null)
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'tretriever', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.level = 0
  RETURN t
  UNION
  UNWIND $tops AS id
  MATCH (:Overstory {id: id})<-[:CHILD_OF*0..]-(t:Overstory:TretrieverNode)
  RETURN t
}
OPTIONAL MATCH (t)-[:CHILD_OF]->(above:Overstory:TreeNode)
OPTIONAL MATCH (t)-[:COVERS]->(unit:Overstory)
RETURN t.id AS id, above.id AS parent, t.level AS level, t.size AS size, t.volume AS volume, t.cut AS cut,
  unit.id AS unit, t.vector AS vector, [] AS properties, coalesce(t.source, '') AS source, coalesce(t.edges, '') AS edges,
  CASE WHEN unit IS NOT NULL THEN t.embedding END AS embedding

// -- systems/tretriever/sample
// The first documents in order of id, which is a random one: ids are digests.
// Parameters: $limit INTEGER
// Rows: id STRING
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
RETURN d.id AS id ORDER BY d.corpus, d.id LIMIT $limit

// -- systems/tretriever/summaries_of
// The summaries of some sets.
// Parameters: $ids LIST<STRING>
// Rows: as those of `systems/tree/stored_reports`
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})-[:HAS_REPORT]->(r:Overstory:TretrieverSummary)
WITH r, collect(t.id) AS communities
RETURN r.id AS id, communities, properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/tretriever/tops
// The largest sets that hold some vertices; a vertex in no set is one itself.
// Parameters: $ids LIST<STRING> (of documents or entities); $generation INTEGER
// Rows: id STRING; size INTEGER; each once
UNWIND $ids AS id
MATCH (unit:Overstory {id: id, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TretrieverNode) WHERE leaf.generation = $generation
MATCH (leaf)-[:CHILD_OF*0..]->(top:Overstory:TretrieverNode) WHERE top.level = 1
RETURN DISTINCT top.id AS id, top.size AS size
