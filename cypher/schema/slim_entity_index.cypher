// SlimRAG's entities by their corpus.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_slim_entities IF NOT EXISTS FOR (e:SlimEntity) ON (e.corpus)
