// The vectors of a corpus' passages, unquantised: with the default quantisation recall@10 stops at .94.
// Parameters: $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX overstory_vector_{{corpus}} IF NOT EXISTS
FOR (v:{{corpus}}_PassageVector) ON (v.embedding)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
