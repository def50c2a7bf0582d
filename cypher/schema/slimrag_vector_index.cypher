// The vectors of the entities that SlimRAG looks for, unquantised: with the default quantisation the nearest are missed.
// Parameters: $name STRING; $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX $name IF NOT EXISTS
FOR (e:{{corpus}}_SlimEntity) ON (e.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
