// The stored vectors of the texts of some nodes, as far as they are joined to one.
// Parameters: $ids LIST<STRING> (of the nodes that have the texts)
// Rows: vectors LIST<LIST> (the id of a node, its vector as BYTES of float16); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
RETURN collect([id, v.vector]) AS vectors
