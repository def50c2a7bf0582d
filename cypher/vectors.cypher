// -- vectors/forget_awaited
// Remove the marks of a stage that has joined its nodes to vectors. Commits in batches.
// Parameters: $stage STRING
// Rows: none
MATCH (v:{{corpus}}_Awaited) WHERE v.awaited_by = $stage
CALL (v) { REMOVE v.awaited_by, v:{{corpus}}_Awaited } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/read
// Read the stored vectors of derived texts.
// Parameters: $ids LIST<STRING> (of vectors)
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16; stored ones only); one row
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:DerivedVector AND v.corpus = $corpus
RETURN collect([id, v.vector]) AS vectors

// -- vectors/remove_other_embedders
// Delete the vectors of all other embedders, even if they are in use. Commits in batches.
// Parameters: $embedder STRING (the embedder to keep)
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE v.embedder <> $embedder
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/remove_unused
// Delete vectors that no node uses and no stage awaits. Commits in batches.
// Parameters: none
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() } AND NOT v:{{corpus}}_Awaited
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/remove_unused_of
// Delete those of some vectors that no node uses and no stage awaits.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id})
WHERE v:DerivedVector AND v.corpus = $corpus AND NOT $corpus + '_Awaited' IN labels(v) AND NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
DETACH DELETE v

// -- vectors/settle_awaited
// Remove the marks of a stage that has joined its nodes to vectors, and delete unused vectors. Commits in batches.
// Parameters: $stage STRING
// Rows: none
MATCH (v:{{corpus}}_Awaited) WHERE v.awaited_by = $stage
CALL (v) {
  REMOVE v.awaited_by, v:{{corpus}}_Awaited
  WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
  DETACH DELETE v
} IN TRANSACTIONS OF 1000 ROWS

// -- vectors/write
// Write vectors of derived texts, to which a stage will join its nodes. An existing vector stays as it is.
// Parameters: $embedder, $stage STRING; $rows LIST<MAP {id STRING; vector BYTES (float16)}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:DerivedVector:$($corpus):$($corpus + '_DerivedVector'):Shared:$($corpus + '_Awaited'),
  v.corpus = $corpus, v.embedder = $embedder, v.awaited_by = $stage, v.vector = row.vector

// -- vectors/missed
// Count, for each of some vectors, the nodes that an index should have returned: they are nearer than the last result
// but were not returned.
// Parameters: $property STRING (of the vectors); $compared INTEGER (nodes to compare); $vectors LIST<LIST<FLOAT>>;
//   $found LIST<LIST<STRING>> (ids that the index returned for each vector); $last LIST<FLOAT> (cosine of the last of
//   them)
// Rows: place INTEGER (of the vector); missed INTEGER; no row for a vector without missed nodes
MATCH (n:{{label}})
WITH n LIMIT $compared
WITH n, n[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
UNWIND range(0, size($vectors) - 1) AS place
WITH n, place, 2 * vector.similarity.cosine(stored, $vectors[place]) - 1 AS cosine
WHERE cosine > $last[place] AND NOT n.id IN $found[place]
RETURN place, count(*) AS missed

// -- vectors/sample
// Sample nodes of a kind with their vectors. Ids are hashes, so the lowest ids are a random sample.
// Parameters: $property STRING (of the vectors); $most INTEGER (size of the sample); $compared INTEGER (nodes to choose
//   from)
// Rows: nodes INTEGER (all of the kind); vectors LIST<LIST<FLOAT>>; one row
CALL () { MATCH (n:{{label}}) RETURN count(n) AS nodes }
CALL () {
  MATCH (n:{{label}})
  WITH n LIMIT $compared
  WITH n WHERE any(x IN n[$property] WHERE x < 0.0 OR x > 0.0)
  WITH n ORDER BY n.id LIMIT $most
  RETURN collect(n[$property]) AS vectors
}
RETURN nodes, vectors
