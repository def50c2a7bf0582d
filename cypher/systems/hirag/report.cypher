// How many reports a generation has, and how many communities lack one.
// Parameters: $generation INTEGER
// Rows: reports, without INTEGER; one
CALL () {
  MATCH (r:{{corpus}}_HiragReport) WHERE r.generation = $generation
  RETURN count(r) AS reports
}
CALL () {
  MATCH (t:{{corpus}}_HiragCommunity)
  WHERE t.generation = $generation AND t.level > 0 AND t.vector IS NOT NULL
    AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_HiragReport) }
  RETURN count(t) AS without
}
RETURN reports, without
