// -- systems/tree/members
// Read the units below some communities.
// Parameters: $ids LIST<STRING> (communities)
// Rows: community STRING; units LIST<STRING> (ids of chunks, entities or documents)
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})<-[:CHILD_OF*]-(leaf:Overstory:TreeNode)-[:COVERS]->(unit:Overstory)
RETURN id AS community, collect(unit.id) AS units

// -- systems/tree/vectors
// Read the communities of a tree with their vectors, without root and leaves.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING; level INTEGER; vector BYTES
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level > 0 AND t.vector IS NOT NULL
RETURN t.id AS id, t.level AS level, t.vector AS vector ORDER BY level, id

// -- systems/tree/below
// Sum the volumes and cuts of the nodes directly below some communities.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; volume, cut FLOAT
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)<-[:CHILD_OF]-(below:Overstory:TreeNode)
RETURN id, sum(below.volume) AS volume, sum(below.cut) AS cut

// -- systems/tree/figures
// Read volume, cut and size of some communities and all communities above them.
// Parameters: $ids LIST<STRING>
// Rows: id, parent STRING (null for the root); level, size, children INTEGER; volume, cut FLOAT
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus})-[:CHILD_OF*0..]->(up:Overstory:TreeNode)
WITH DISTINCT up
OPTIONAL MATCH (up)-[:CHILD_OF]->(above:Overstory:TreeNode)
RETURN up.id AS id, above.id AS parent, up.level AS level, up.size AS size, COUNT { (up)<-[:CHILD_OF]-() } AS children,
  up.volume AS volume, up.cut AS cut

// -- systems/tree/forget_parted
// Remove the mark from communities whose lost leaves have been processed.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (t:Overstory {id: id, corpus: $corpus}) WHERE $corpus + '_Parted' IN labels(t)
REMOVE t:$($corpus + '_Parted')

// -- systems/tree/leaves
// Find the leaves of some units in a tree.
// Parameters: $ids LIST<STRING> (units); $tree STRING; $generation INTEGER; $properties LIST<STRING> (further
//   properties to read)
// Rows: unit, id STRING; community STRING (id of the parent); volume FLOAT; properties LIST (their values); no row for
//   a unit without a leaf
UNWIND $ids AS unit
MATCH (:Overstory {id: unit, corpus: $corpus})<-[:COVERS]-(leaf:Overstory:TreeNode)-[:CHILD_OF]->(above:Overstory:TreeNode)
WHERE leaf.tree = $tree AND leaf.generation = $generation
RETURN unit, leaf.id AS id, above.id AS community, leaf.volume AS volume,
  [name IN $properties | leaf[name]] AS properties

// -- systems/tree/parted
// List the communities of a tree that lost leaves with their units.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING
MATCH (t:{{corpus}}_Parted) WHERE t.tree = $tree AND t.generation = $generation
RETURN t.id AS id

// -- systems/tree/vectors_of
// Read the vectors of some communities.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; vector BYTES
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus AND t.vector IS NOT NULL
RETURN id, t.vector AS vector
