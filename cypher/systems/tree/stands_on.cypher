// The documents that some communities of a tree stand on: those of all passages of what they have, those that mention what
// they have, and those that their reports stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (communities); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
RETURN id, COLLECT {
  CALL (t) {
    MATCH (t)-[:HAS_REPORT]->(:Overstory:CommunityReport)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    RETURN d
    UNION ALL
    MATCH (t)<-[:CHILD_OF*0..]-(:Overstory:TreeNode)-[:COVERS]->(unit:Overstory)
    CALL (unit) {
      WITH unit WHERE unit:Document
      RETURN unit AS d
      UNION ALL
      MATCH (unit)-[:PART_OF]->(d:Overstory:Document) WHERE unit:Chunk
      RETURN d
      UNION ALL
      MATCH (unit)-[:MENTIONS|ABOUT]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document) WHERE unit:Entity
      RETURN d
      UNION ALL
      MATCH (unit)-[:STANDS_FOR]->(:Overstory:Entity)-[:MENTIONS|ABOUT]-(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
      RETURN d
      UNION ALL
      MATCH (unit)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
      RETURN d
      UNION ALL
      MATCH (unit)-[:HAS_DESCRIPTION]->(:Overstory)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
      RETURN d
    }
    RETURN d
  }
  RETURN DISTINCT d.id LIMIT $most
} AS documents
