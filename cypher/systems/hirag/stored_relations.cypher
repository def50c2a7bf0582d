// The relationships of one type between the entities of a generation.
// Parameters: $type STRING; $generation INTEGER
// Rows: source, target STRING (refs); properties MAP
MATCH (a:{{corpus}}_HiragEntity)-[r:$($type)]->(b:{{corpus}}_HiragEntity) WHERE a.generation = $generation
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties
