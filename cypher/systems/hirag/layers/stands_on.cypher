// The documents that some summaries stand on: those that mention an entity below, or that something known of one stands on;
// of each only the first that are met.
// Parameters: $ids LIST<STRING> (summaries); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:HiragEntity AND t.corpus = $corpus
RETURN id, COLLECT {
  MATCH (t)<-[:SUMMARIZED_BY*0..]-(unit:Overstory:HiragEntity)
  CALL (unit) {
    MATCH (unit)-[:STANDS_FOR]->(:Overstory:Entity)-[:MENTIONS|ABOUT]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
    UNION ALL
    MATCH (unit)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
    UNION ALL
    MATCH (unit)-[:HAS_DESCRIPTION]->(:Overstory)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
  }
  RETURN DISTINCT d.id LIMIT $most
} AS documents
