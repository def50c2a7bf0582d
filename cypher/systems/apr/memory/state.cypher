// What the memory of a corpus is at.
// Parameters: $memory STRING (its id)
// Rows: version INTEGER (rises with every change); embedder STRING (of the vectors of its questions); since STRING
//   (when the first answer was remembered); one, or none where
//   nothing was ever remembered
MATCH (m:Overstory {id: $memory}) WHERE m:AprMemory AND m.corpus = $corpus
RETURN m.version AS version, m.embedder AS embedder, m.since AS since
