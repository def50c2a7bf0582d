// Some entities of the layered graph, to be shown.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING; type STRING or null; passages INTEGER (that mention it, or say what is known of it)
UNWIND $ids AS id
MATCH (m:Overstory {id: id}) WHERE m:HiragEntity AND m.corpus = $corpus
OPTIONAL MATCH (m)-[:STANDS_FOR]->(entity:Overstory:Entity)
RETURN id, m.name AS name, m.type AS type,
  CASE WHEN entity IS NULL THEN COUNT { (m)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk) } ELSE coalesce(entity.df, 0) END AS passages
