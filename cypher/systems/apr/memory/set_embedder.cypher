// Records whose vectors the remembered questions have now. Whoever holds vectors of before takes it for another memory.
// Parameters: $memory, $embedder STRING
// Rows: none
MATCH (m:Overstory {id: $memory}) WHERE m:AprMemory AND m.corpus = $corpus
SET m.embedder = $embedder, m.version = m.version + 1
