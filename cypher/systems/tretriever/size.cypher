// How many communities of a generation have no summary: a passage that it was made from was deleted.
// Parameters: $generation INTEGER
// Rows: without INTEGER; one
MATCH (t:{{corpus}}_TretrieverNode)
WHERE t.generation = $generation AND t.level > 0 AND t.vector IS NOT NULL
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_TretrieverSummary) }
RETURN count(t) AS without
