// The relationships of one type between the entities of a generation.
// Parameters: $type STRING; $generation INTEGER
// Rows: source, target STRING (refs); properties MAP
MATCH (a:Overstory:HiragEntity {corpus: $corpus, generation: $generation})-[r:$($type)]->(b:Overstory:HiragEntity)
USING INDEX SEEK a:HiragEntity(corpus, generation)
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties
