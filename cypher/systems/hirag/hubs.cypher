// The entities of layer 0 whose names very many passages have: what a path through one joins has seldom to do with each other.
// Parameters: $generation INTEGER; $share FLOAT (of the passages), $least INTEGER (passages): an entity has more than both
// Rows: hubs LIST<STRING> (ids); one
MATCH (corpus:Overstory:Corpus {id: $corpus})
MATCH (n:Overstory:HiragEntity {corpus: $corpus, generation: $generation})-[:STANDS_FOR]->(e:Overstory:Entity)
USING INDEX SEEK n:HiragEntity(corpus, generation)
WHERE e.df > $least AND e.df > $share * corpus.chunks
RETURN collect(n.id) AS hubs
