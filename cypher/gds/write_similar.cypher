// Finds the nearest neighbours of all nodes of an in-memory graph of vectors, nearly all of them right, and writes them as
// SIMILAR, whose score is (1 + cosine) / 2.
// Parameters: $graph STRING; $nearest INTEGER
// Rows: written INTEGER (relationships); one
CALL gds.knn.write($graph, {nodeProperties: ['vector'], topK: $nearest, writeRelationshipType: 'SIMILAR',
  writeProperty: 'score', sampleRate: 1.0, deltaThreshold: 0.0001, concurrency: 4})
YIELD relationshipsWritten
RETURN relationshipsWritten AS written
