// Finds names of two words or more by how they begin: only entities that are called so have `backwards`, and only nodes
// with all three properties are in the index.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_names IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.key, n.backwards)
