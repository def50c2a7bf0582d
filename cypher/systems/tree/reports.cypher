// -- systems/tree/report_stands_on
// Find the documents on which the reports on some communities are based.
// Parameters: $ids LIST<STRING> (communities); $most INTEGER (documents per community)
// Rows: id STRING; documents LIST<STRING> (ids; empty without a report)
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:TreeNode AND t.corpus = $corpus
RETURN id, COLLECT {
  MATCH (t)-[:HAS_REPORT]->(:Overstory:CommunityReport)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents

// -- systems/tree/stands_on
// Find the documents on which some communities are based: documents of their passages, documents that mention their
// entities, and documents of their reports.
// Parameters: $ids LIST<STRING> (communities); $most INTEGER (documents per community)
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

// -- systems/tree/report_levels
// Count the communities of each level of a tree, and those with a report.
// Parameters: $tree STRING; $generation INTEGER
// Rows: level, communities, reports INTEGER; from the root down, without leaves; no row if there is no such tree
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.vector IS NOT NULL
RETURN t.level AS level, count(t) AS communities,
  count(CASE WHEN EXISTS { (t)-[:HAS_REPORT]->(:Overstory:CommunityReport) } THEN 1 END) AS reports
ORDER BY level

// -- systems/tree/report_list
// List the reports on a level of a tree by rating, then by size of the community.
// Parameters: $tree STRING; $generation, $level INTEGER; $limit INTEGER
// Rows: id STRING (of the community); level, size INTEGER; title, summary, by STRING; rating FLOAT
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})-[:HAS_REPORT]->(r:Overstory:CommunityReport)
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level = $level
RETURN t.id AS id, t.level AS level, t.size AS size, r.title AS title, r.summary AS summary, r.by AS by,
  r.rating AS rating
ORDER BY rating DESC, size DESC, id LIMIT $limit

// -- systems/tree/report_of
// Read the report on a community, and the titles of reports on the communities around it.
// Parameters: $id STRING (of the community); $below INTEGER (communities below to return)
// Rows: community MAP (id, level, size); report MAP (properties, or null); passages INTEGER (that the report is based
//   on); above, below LIST<MAP {id, level, size, title, summary, by, rating}> (communities above, largest first,
//   without the root; directly below, highest rating first); communities INTEGER (directly below); one row, or none
MATCH (t:Overstory {id: $id}) WHERE t:TreeNode AND t.corpus = $corpus
OPTIONAL MATCH (t)-[:HAS_REPORT]->(report:Overstory:CommunityReport)
RETURN t {.id, .level, .size} AS community, properties(report) AS report,
  COUNT { (report)-[:STANDS_ON]->(:Overstory:Chunk) } AS passages,
  COLLECT {
    MATCH way = (t)-[:CHILD_OF*1..]->(up:Overstory:TreeNode) WHERE up.level > 0
    OPTIONAL MATCH (up)-[:HAS_REPORT]->(r:Overstory:CommunityReport)
    RETURN up {.id, .level, .size, title: r.title, summary: r.summary, by: r.by, rating: r.rating}
    ORDER BY length(way) DESC
  } AS above,
  COLLECT {
    MATCH (down:Overstory:TreeNode)-[:CHILD_OF]->(t) WHERE down.vector IS NOT NULL
    OPTIONAL MATCH (down)-[:HAS_REPORT]->(r:Overstory:CommunityReport)
    RETURN down {.id, .level, .size, title: r.title, summary: r.summary, by: r.by, rating: r.rating}
    ORDER BY coalesce(r.rating, -1) DESC, down.size DESC, down.id LIMIT $below
  } AS below,
  COUNT { (down:Overstory:TreeNode)-[:CHILD_OF]->(t) WHERE down.vector IS NOT NULL } AS communities

// -- systems/tree/without_report
// List the largest communities of a level without a report.
// Parameters: $tree STRING; $generation, $level INTEGER; $limit INTEGER
// Rows: id STRING; level, size INTEGER
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WHERE t.level = $level AND t.vector IS NOT NULL
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:Overstory:CommunityReport) }
RETURN t.id AS id, t.level AS level, t.size AS size
ORDER BY size DESC, id LIMIT $limit

// -- systems/tree/join_reports
// Connect communities to their reports.
// Parameters: $rows LIST<MAP {community, report STRING}>; $named BOOLEAN (copy title and summary to the community)
// Rows: none
UNWIND $rows AS row
MATCH (t:Overstory {id: row.community})
MATCH (r:Overstory {id: row.report, corpus: $corpus}) WHERE t:TreeNode AND t.corpus = $corpus
MERGE (t)-[:HAS_REPORT]->(r)
WITH t, r WHERE $named
SET t.title = r.title, t.summary = r.summary, t.named = true

// -- systems/tree/stored_reports
// Read the reports on the communities of a tree.
// Parameters: $tree STRING; $generation INTEGER
// Rows: properties MAP; chunks LIST<STRING> (ids of chunks it is based on)
MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: $tree, generation: $generation})-[:HAS_REPORT]->(r:Overstory:CommunityReport)
USING INDEX SEEK t:TreeNode(corpus, tree, generation)
WITH DISTINCT r
RETURN properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/tree/write_reports
// Write reports on communities, with the passages they are based on.
// Parameters: $rows LIST<MAP {id STRING; properties MAP; chunks LIST<STRING> (ids)}>; $labels LIST<STRING>
// Rows: none
UNWIND $rows AS row
MERGE (r:Overstory {id: row.id})
SET r += row.properties, r:$($corpus):$($corpus + '_Derived'):OfChunk, r:$($labels)
WITH r, row
UNWIND range(0, size(row.chunks) - 1) AS position
MATCH (c:Overstory {id: row.chunks[position]}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (r)-[s:STANDS_ON]->(c)
SET s.position = position
