// Records the tokens that a language model took to read documents.
// Parameters: $rows LIST<MAP {id STRING; prompt, completion INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
SET d.slimrag_prompt_tokens = row.prompt, d.slimrag_completion_tokens = row.completion
