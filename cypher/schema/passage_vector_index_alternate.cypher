// As passage_vector_index, over the property that a second embedder fills while the first is still being asked.
// Parameters: $dimension INTEGER
// Rows: none
CREATE VECTOR INDEX overstory_vector_alternate_{{corpus}} IF NOT EXISTS
FOR (v:{{corpus}}_PassageVector) ON (v.embedding_alternate)
OPTIONS {indexConfig: {
  `vector.dimensions`: $dimension,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.enabled`: false
}}
