// Deletes those of some vectors of derived texts that nothing uses and no stage awaits.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (v:Overstory {id: id})
WHERE v:{{corpus}}_DerivedVector AND NOT v:{{corpus}}_Awaited AND NOT EXISTS { (v)<-[:HAS_VECTOR]-(:Overstory) }
DETACH DELETE v
