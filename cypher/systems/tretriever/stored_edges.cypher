// The edges between the leaves of a generation.
// Parameters: $generation INTEGER
// Rows: source, target STRING (ids of leaves); weight FLOAT; chunks LIST<STRING> (ids)
MATCH (a:{{corpus}}_TretrieverNode)-[e:TRETRIEVER_EDGE]->(b:{{corpus}}_TretrieverNode) WHERE a.generation = $generation
RETURN a.id AS source, b.id AS target, e.weight AS weight, e.chunks AS chunks
