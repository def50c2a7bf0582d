// The summaries whose ids begin so.
// Parameters: $begins STRING; $generation INTEGER; $limit INTEGER
// Rows: id STRING; size INTEGER (its members); in order of id
MATCH (x:Overstory)
USING INDEX SEEK x:Overstory(id)
WHERE x.id STARTS WITH $begins AND x:HiragEntity AND x.corpus = $corpus AND x.generation = $generation AND x.layer > 0
RETURN x.id AS id, COUNT { (x)<-[:SUMMARIZED_BY]-() } AS size ORDER BY id LIMIT $limit
