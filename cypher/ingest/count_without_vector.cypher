// How many chunks lack a vector.
// Parameters: $property STRING
// Rows: chunks, missing INTEGER; one
MATCH (c:{{corpus}}_Chunk)
RETURN count(c) AS chunks, count(c) - count(c[$property]) AS missing
