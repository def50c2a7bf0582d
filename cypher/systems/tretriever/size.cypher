// How many communities of a generation have no summary: a passage that it was made from was deleted, which has marked them.
// Parameters: $generation INTEGER
// Rows: without INTEGER; one
MATCH (t:{{corpus}}_Unreported)
WHERE t:{{corpus}}_TretrieverNode AND t.generation = $generation AND t.level > 0 AND t.vector IS NOT NULL
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) }
RETURN count(t) AS without
