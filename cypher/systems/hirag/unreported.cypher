// The communities of a generation that lost their report with a passage.
// Parameters: $generation INTEGER
// Rows: id STRING
MATCH (t:{{corpus}}_Unreported) WHERE t:{{corpus}}_HiragCommunity AND t.generation = $generation
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_HiragReport) }
RETURN t.id AS id
