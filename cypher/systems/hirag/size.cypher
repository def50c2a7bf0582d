// How large the graph of all layers is.
// Parameters: $generation INTEGER
// Rows: entities INTEGER, relations INTEGER; one
MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = $generation
RETURN count(e) AS entities, coalesce(sum(COUNT { (e)-[:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(:{{corpus}}_HiragEntity) }), 0) AS relations
