// The summaries right below some; below the root those that no other summarises, of whatever layer. None below a summary
// of entities of layer 0.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $skip, $limit INTEGER (of each)
// Rows: id STRING; communities LIST<STRING> (ids, those with most members first)
UNWIND $ids AS id
OPTIONAL MATCH (x:Overstory {id: id}) WHERE x:HiragEntity AND x.corpus = $corpus
RETURN id,
  CASE WHEN x IS NULL THEN
    COLLECT {
      MATCH (m:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
      WHERE m.layer > 0 AND NOT EXISTS { (m)-[:SUMMARIZED_BY]->(:Overstory:HiragEntity) }
      RETURN m.id ORDER BY m.layer DESC, COUNT { (m)<-[:SUMMARIZED_BY]-(:Overstory:HiragEntity) } DESC, m.ref SKIP $skip LIMIT $limit
    }
  ELSE
    COLLECT {
      MATCH (x)<-[s:SUMMARIZED_BY]-(m:Overstory:HiragEntity) WHERE m.layer > 0
        AND NOT EXISTS {
          MATCH (m)-[o:SUMMARIZED_BY]->(p:Overstory:HiragEntity) WHERE o.weight > s.weight OR (o.weight = s.weight AND p.ref < x.ref)
        }
      RETURN m.id ORDER BY COUNT { (m)<-[:SUMMARIZED_BY]-(:Overstory:HiragEntity) } DESC, m.ref SKIP $skip LIMIT $limit
    }
  END AS communities
