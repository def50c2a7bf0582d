// The summaries whose ids begin so.
// Parameters: $begins STRING; $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER (its members); in order of id
MATCH (x:Overstory) WHERE x.id STARTS WITH $begins AND x:{{corpus}}_HiragEntity AND x.generation = $generation AND x.layer > 0
RETURN x.id AS id, COUNT { (x)<-[:SUMMARIZED_BY]-() } AS size ORDER BY id LIMIT $limit
