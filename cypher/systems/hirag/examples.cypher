// A value for the parameters of the saved queries that only HiRAG's have: its highest layer.
// Parameters: $found MAP (values that were found before)
// Rows: layer STRING (null where there is none, or where a value was found); one
OPTIONAL MATCH (corpus:Corpus:{{corpus}})
OPTIONAL MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = corpus.generation_hirag AND e.layer > 0
WITH max(e.layer) AS highest
RETURN CASE WHEN coalesce($found.layer, '') = '' THEN toString(highest) END AS layer
