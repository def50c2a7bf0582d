// What is built in generations, by corpus, structure and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_generations IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.derived, n.generation)
