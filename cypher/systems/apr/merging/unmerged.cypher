// The symbols that were compared with no other.
// Parameters: none
// Rows: id STRING; in the order of the ids
MATCH (s:{{corpus}}_AprUnmerged) RETURN s.id AS id ORDER BY id
