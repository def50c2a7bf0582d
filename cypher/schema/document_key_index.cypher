// Documents of a corpus by the key that their source gives them.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_key_{{corpus}} IF NOT EXISTS FOR (d:{{corpus}}_Document) ON (d.source_key)
