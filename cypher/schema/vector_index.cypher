// Makes the vector index over one kind of a corpus' nodes, unquantised: with the default quantisation the nearest are missed.
// Parameters: $name STRING; $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (n:{{label}}) ON (n.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
