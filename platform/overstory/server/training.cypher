// What a server runs whose classes are archived (class_archive.py): the kinds of statements that Overstory sends, over a
// graph of its own. Each ends with a semicolon at the end of a line.
CREATE CONSTRAINT ids FOR (n:Node) REQUIRE n.id IS UNIQUE;
CREATE RANGE INDEX keys FOR (n:Node) ON (n.corpus, n.key);
CREATE FULLTEXT INDEX texts FOR (n:Node) ON EACH [n.text] OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}};
CREATE VECTOR INDEX vectors FOR (n:Node) ON n.embedding
OPTIONS {indexConfig: {`vector.dimensions`: 4, `vector.similarity_function`: 'cosine'}};
CALL db.awaitIndexes(60);
UNWIND range(1, 500) AS i
MERGE (n:Node {id: 'n' + i})
SET n += {corpus: 'c', key: 'k' + i % 9, number: i, text: 'text of node ' + i}, n:$('Node_' + i % 3)
WITH n, i
CALL db.create.setNodeVectorProperty(n, 'embedding', [1.0, i, i % 7, 0.5]);
MATCH (a:Node)
MATCH (b:Node {id: 'n' + (a.number + 1)})
MERGE (a)-[r:NEXT]->(b) ON CREATE SET r.weight = 0.5;
CALL db.index.fulltext.queryNodes('texts', 'text node', {limit: 10}) YIELD node, score
WITH collect({node: node, score: score}) AS found, max(score) AS best
UNWIND found AS each
WITH each.node AS n, each.score / best AS score
CALL (n) {
  OPTIONAL MATCH (n)-[:NEXT]->(m:Node) WHERE m.number > 3
  RETURN collect(m.id) AS next
}
RETURN n.id AS id, score, next, COUNT { (n)--() } AS degree, EXISTS { (n)<-[:NEXT]-(:Node) } AS known,
  CASE WHEN n:Node_1 THEN reduce(s = 0.0, x IN n.embedding | s + x) ELSE 0.0 END AS sum
ORDER BY score DESC, id LIMIT 5;
CALL db.index.vector.queryNodes('vectors', 5, [1.0, 2.0, 3.0, 0.5]) YIELD node AS n, score
RETURN n.id AS id, score, [(n)-[:NEXT]->(m) | m {.id, .key}] AS next
UNION ALL
MATCH (n:Node {corpus: 'c', key: 'k1'})
RETURN n.id AS id, vector.similarity.cosine(n.embedding, [1.0, 2.0, 3.0, 0.5]) AS score, [] AS next;
MATCH way = SHORTEST 1 (:Node {id: 'n1'})-[:NEXT]-+(:Node {id: 'n9'})
RETURN [n IN nodes(way) | n.id] AS ids;
MATCH (n:Node) WHERE n.number > 250
CALL (n) { SET n.seen = true } IN TRANSACTIONS OF 100 ROWS;
MATCH (a:Node)-[r:NEXT]->(b:Node)
WITH gds.graph.project('g', a, b, {relationshipProperties: r {.weight}}, {undirectedRelationshipTypes: ['*']}) AS g
RETURN g.nodeCount;
CALL gds.leiden.stream('g') YIELD communityId RETURN count(DISTINCT communityId);
CALL gds.graph.drop('g') YIELD graphName RETURN graphName;
MATCH (n:Node) DETACH DELETE n;
