// Finds names of two words or more by how they end: `backwards` is the key of an entity, its last character first.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_name_ends IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.backwards)
