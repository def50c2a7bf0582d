// The texts of all symbols of entities.
// Parameters: none
// Rows: id, text STRING; unmerged BOOLEAN (whether it was compared with no other)
MATCH (s:{{corpus}}_AprEntity)
RETURN s.id AS id, s.text AS text, s:{{corpus}}_AprUnmerged AS unmerged
