// The newest remembered answers.
// Parameters: $like STRING (in a question; "" for all); $limit INTEGER
// Rows: id STRING; newest first
MATCH (a:{{corpus}}_AprAnswer)
WHERE $like = '' OR EXISTS {
  MATCH (a)-[:ANSWERS]->(q:{{corpus}}_AprQuestion) WHERE toLower(q.text) CONTAINS toLower($like)
}
RETURN a.id AS id ORDER BY a.asked DESC, a.id LIMIT $limit
