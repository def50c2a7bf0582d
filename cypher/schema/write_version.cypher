// Records the schema version.
// Parameters: $version INTEGER
// Rows: none
MERGE (meta:Overstory {id: 'meta'})
SET meta:OverstoryMeta, meta.schema = $version
