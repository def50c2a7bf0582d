// The vectors of a corpus' chunks, unquantised: with the default quantisation recall@10 stops at .94.
// Parameters: $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX overstory_vector_{{corpus}} IF NOT EXISTS
FOR (c:{{corpus}}_Chunk) ON (c.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
