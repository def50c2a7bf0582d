// Deletes those of some entities of SlimRAG that no sentence refers to.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:SlimEntity AND e.corpus = $corpus AND NOT EXISTS { (e)<-[:REFERS_TO]-() }
DETACH DELETE e
