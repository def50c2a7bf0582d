// The schema version that the graph was written with.
// Parameters: none
// Rows: version INTEGER; none in a database that Overstory never wrote to
MATCH (meta:Overstory:OverstoryMeta {id: 'meta'})
RETURN meta.schema AS version
