// The stored vectors of the texts of some nodes.
// Parameters: $ids LIST<STRING> (of nodes)
// Rows: vectors LIST<STRING> (ids); one
UNWIND $ids AS id
MATCH (:Overstory {id: id, corpus: $corpus})-[:HAS_VECTOR]->(v:Overstory:DerivedVector)
RETURN collect(DISTINCT v.id) AS vectors
