// How many chunks lack a vector. Those that hold nothing but boilerplate get none.
// Parameters: $property STRING
// Rows: chunks (that are to have one), missing INTEGER; one
MATCH (c:{{corpus}}_Chunk) WHERE NOT c:{{corpus}}_BoilerplateOnly
RETURN count(c) AS chunks, count(c) - count(c[$property]) AS missing
