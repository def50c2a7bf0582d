// Deletes those of some vectors of derived texts that nothing uses and no stage awaits.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id})
WHERE v:DerivedVector AND v.corpus = $corpus AND NOT $corpus + '_Awaited' IN labels(v) AND NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
DETACH DELETE v
