// The names of the keys of metadata that documents have; one with values of several types is there several times.
// Parameters: none
// Rows: names LIST<STRING>; one
MATCH (k:{{corpus}}_MetadataKey)
RETURN collect(k.key) AS names
