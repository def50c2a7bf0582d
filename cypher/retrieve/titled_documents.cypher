// The documents that have some names as their whole titles.
// Parameters: $ids LIST<STRING> (of entities); $most INTEGER (documents of a name)
// Rows: ids LIST<STRING> (of documents); one
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
  CALL (e) {
    MATCH (e)-[a:ABOUT]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
    WHERE a.source = 'title' AND a.full AND EXISTS { (d)-[:LINKS]-(:Overstory:Document) }
    RETURN DISTINCT d.id AS document ORDER BY document LIMIT $most
  }
  RETURN collect(DISTINCT document) AS ids
}
RETURN ids
