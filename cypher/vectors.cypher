// -- vectors/forget_awaited
// Takes the marks of a stage that has joined its nodes off vectors; commits as it goes.
// Parameters: $stage STRING
// Rows: none
MATCH (v:{{corpus}}_Awaited) WHERE v.awaited_by = $stage
CALL (v) { REMOVE v.awaited_by, v:{{corpus}}_Awaited } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/read
// Which vectors of derived texts are stored, and those vectors.
// Parameters: $ids LIST<STRING> (of vectors)
// Rows: vectors LIST<LIST> (id, vector as BYTES of float16); one row
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:DerivedVector AND v.corpus = $corpus
RETURN collect([id, v.vector]) AS vectors

// -- vectors/remove_other_embedders
// Deletes vectors that other embedders made, used or not; commits as it goes.
// Parameters: $embedder STRING (whose vectors stay)
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE v.embedder <> $embedder
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/remove_unused
// Deletes vectors that nothing uses and no stage awaits; commits as it goes.
// Parameters: none
// Rows: none
MATCH (v:{{corpus}}_DerivedVector) WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-() } AND NOT v:{{corpus}}_Awaited
CALL (v) { DETACH DELETE v } IN TRANSACTIONS OF 1000 ROWS

// -- vectors/remove_unused_of
// Deletes those of some vectors of derived texts that nothing uses and no stage awaits.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id})
WHERE v:DerivedVector AND v.corpus = $corpus AND NOT $corpus + '_Awaited' IN labels(v) AND NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
DETACH DELETE v

// -- vectors/settle_awaited
// Takes the marks of a stage that has joined its nodes off vectors, and deletes those that nothing uses; commits as it goes.
// Parameters: $stage STRING
// Rows: none
MATCH (v:{{corpus}}_Awaited) WHERE v.awaited_by = $stage
CALL (v) {
  REMOVE v.awaited_by, v:{{corpus}}_Awaited
  WITH v WHERE NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
  DETACH DELETE v
} IN TRANSACTIONS OF 1000 ROWS

// -- vectors/write
// Writes vectors of derived texts, which a stage is about to join its nodes to; one that is there stays as it is.
// Parameters: $embedder, $stage STRING; $rows LIST<MAP {id STRING; vector BYTES (float16)}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:DerivedVector:$($corpus):$($corpus + '_DerivedVector'):Shared:$($corpus + '_Awaited'),
  v.corpus = $corpus, v.embedder = $embedder, v.awaited_by = $stage, v.vector = row.vector

// -- vectors/missed
// How many nodes of a kind are nearer to each of some vectors than the last that an index returned, and were not returned.
// Parameters: $property STRING (where vectors are); $compared INTEGER (nodes that are looked at);
//   $vectors LIST<LIST<FLOAT>>; $found LIST<LIST<STRING>> (ids that the index returned for each);
//   $last LIST<FLOAT> (cosine of the last of them)
// Rows: place INTEGER (of the vector); missed INTEGER; none for a vector of which nothing is missed
MATCH (n:{{label}})
WITH n LIMIT $compared
WITH n, n[$property] AS stored WHERE any(x IN stored WHERE x < 0.0 OR x > 0.0)
UNWIND range(0, size($vectors) - 1) AS place
WITH n, place, 2 * vector.similarity.cosine(stored, $vectors[place]) - 1 AS cosine
WHERE cosine > $last[place] AND NOT n.id IN $found[place]
RETURN place, count(*) AS missed

// -- vectors/sample
// Some nodes of a kind with vectors, those with the lowest ids, which are hashes: as good as drawn by lot.
// Parameters: $property STRING (where vectors are); $most INTEGER (nodes); $compared INTEGER (nodes that are drawn from)
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
