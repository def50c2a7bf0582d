// HiRAG's entities, by corpus and generation.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_hirag_entities IF NOT EXISTS FOR (e:HiragEntity) ON (e.corpus, e.generation)
