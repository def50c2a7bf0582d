// The order in which stages page through a corpus' chunks.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_id_{{corpus}} IF NOT EXISTS FOR (c:{{corpus}}_Chunk) ON (c.id)
