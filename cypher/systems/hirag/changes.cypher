// -- systems/hirag/members_of
// The entities that some summaries summarise.
// Parameters: $ids LIST<STRING> (of summaries)
// Rows: id, summary STRING (of a summary: id, ref); members LIST<LIST> (id, cluster and vector of each)
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:HiragEntity AND s.corpus = $corpus
RETURN id, s.ref AS summary, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) RETURN [m.id, m.cluster, m.embedding]
} AS members

// -- systems/hirag/some_entities
// Some entities with what is said of them.
// Parameters: $ids LIST<STRING>
// Rows: id STRING; and as those of `stored_entities`
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
OPTIONAL MATCH (e)-[:STANDS_FOR]->(entity:Overstory:Entity)
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN id, e.ref AS ref, e.key AS key, e.name AS name, e.type AS type, e.cluster AS cluster, e.layer AS layer,
  entity.id AS entity, d.text AS text, e.by AS by, d.source AS source,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/hirag/summaries_of
// The summaries of some entities.
// Parameters: $ids LIST<STRING>
// Rows: source, target STRING (ids of an entity and of its summary)
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity) WHERE e:HiragEntity AND e.corpus = $corpus
RETURN id AS source, s.id AS target

// -- systems/hirag/flipped
// Of some names those that became an entity of the graph, or are none any more, and the names that their chunks mention:
// a sentence ties its names the less the more there are.
// Parameters: $ids LIST<STRING>; $generation INTEGER; $most INTEGER (chunks of a name that are looked at)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
WITH e, e.df > 0 AND (e.df > 1 OR EXISTS { (e)<-[:SUBJECT|OBJECT]-(:Overstory:Fact) }) AS counts,
  EXISTS { MATCH (e)<-[:STANDS_FOR]-(h:Overstory:HiragEntity) WHERE h.generation = $generation } AS stored
WHERE counts <> stored
CALL (e) {
  MATCH (e)<-[:MENTIONS]-(c:Overstory:Chunk)
  RETURN c LIMIT $most
}
WITH DISTINCT c
MATCH (c)-[:MENTIONS|ABOUT]-(other:Overstory:Entity)
RETURN DISTINCT other.id AS id

// -- systems/hirag/names_in
// The names that some chunks mention or are about.
// Parameters: $ids LIST<STRING> (of chunks)
// Rows: id STRING; each once
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:MENTIONS|ABOUT]-(e:Overstory:Entity) WHERE c:Chunk AND c.corpus = $corpus
RETURN DISTINCT e.id AS id

// -- systems/hirag/nearest_clusters_exact
// The summaries of the entities of layer 0 that are nearest to a new one, where a generation is too small for an index.
// Parameters: $generation INTEGER; $depth INTEGER (entities that are looked at); $vector LIST<FLOAT>
// Rows: as those of `nearest_clusters_index`
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
WHERE e.layer = 0
WITH e, vector.similarity.cosine(e.embedding, $vector) AS score ORDER BY score DESC, e.ref LIMIT $depth
MATCH (e)-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity)
WITH s, e.cluster AS cluster, max(score) AS score ORDER BY score DESC, s.ref LIMIT 5
RETURN s.ref AS summary, cluster, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) WHERE m.cluster = cluster RETURN m.embedding
} AS vectors
ORDER BY score DESC, summary

// -- systems/hirag/nearest_clusters_index
// The summaries of the entities of layer 0 that are nearest to a new one, by the index over those of a generation.
// Parameters: $vector_index STRING; $depth INTEGER (asked of it); $vector LIST<FLOAT>
// Rows: summary STRING (ref); cluster STRING; vectors LIST<LIST<FLOAT>> (of its members); nearest first, none twice
// Since: Neo4j 2026.04 (SEARCH)
CALL db.index.vector.queryNodes($vector_index, $depth, $vector) YIELD node AS e, score
// since: MATCH (e) SEARCH e IN (VECTOR INDEX {{$vector_index}} FOR $vector LIMIT $depth) SCORE AS score
MATCH (e)-[:SUMMARIZED_BY]->(s:Overstory:HiragEntity) WHERE e.layer = 0
WITH s, e.cluster AS cluster, max(score) AS score ORDER BY score DESC, s.ref LIMIT 5
RETURN s.ref AS summary, cluster, COLLECT {
  MATCH (m:Overstory:HiragEntity)-[:SUMMARIZED_BY]->(s) WHERE m.cluster = cluster RETURN m.embedding
} AS vectors
ORDER BY score DESC, summary

// -- systems/hirag/some_relations
// The relationships of some entities with others, of all layers.
// Parameters: $ids LIST<STRING>
// Rows: type STRING; source, target STRING (refs); properties MAP; each once
UNWIND $ids AS id
MATCH (e:Overstory {id: id})-[r:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]-(other:Overstory:HiragEntity)
WHERE e:HiragEntity AND e.corpus = $corpus
WITH DISTINCT r
RETURN type(r) AS type, startNode(r).ref AS source, endNode(r).ref AS target, properties(r) AS properties

// -- systems/hirag/standing_for
// The entities of a generation that stand for some names of the corpus.
// Parameters: $ids LIST<STRING> (of names); $generation INTEGER
// Rows: entity, id STRING (of a name, and of what stands for it)
UNWIND $ids AS entity
MATCH (:Overstory {id: entity, corpus: $corpus})<-[:STANDS_FOR]-(e:Overstory:HiragEntity) WHERE e.generation = $generation
RETURN entity, e.id AS id

// -- systems/hirag/unstated
// Those of the relations among some entities of which a passage is gone.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: source, target STRING (refs); properties MAP
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:HiragEntity AND a.corpus = $corpus
UNWIND $ids AS other
MATCH (b:Overstory {id: other}) WHERE b:HiragEntity AND b.corpus = $corpus
MATCH (a)-[r:HIRAG_RELATED]->(b)
WHERE any(chunk IN r.chunks WHERE NOT EXISTS { MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus })
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties

// -- systems/hirag/members
// The entities in some communities.
// Parameters: $ids LIST<STRING> (of communities); $most INTEGER (members up to which one is read)
// Rows: id STRING; members LIST<STRING> (ids); none for a larger one
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:HiragCommunity AND t.corpus = $corpus AND t.size <= $most
MATCH (t)<-[:CHILD_OF*1..]-(:Overstory:HiragCommunity)-[:COVERS]->(e:Overstory:HiragEntity)
RETURN id, collect(e.id) AS members

// -- systems/hirag/remove_bridges_by
// Deletes the bridges that lead through entities which are no more. Looks at all bridges, which are at most some thousand
// in however large a graph (`bridges.MOST_BRIDGED_COMMUNITIES`).
// Parameters: $generation INTEGER; $ids LIST<STRING> (of entities)
// Rows: none
MATCH (t:{{corpus}}_HiragBridged)-[bridge:BRIDGE]->(:{{corpus}}_HiragCommunity)
WHERE t.generation = $generation AND any(id IN bridge.entities WHERE id IN $ids)
DELETE bridge

// -- systems/hirag/reports_of
// The reports of some communities, and which other communities they are on.
// Parameters: $ids LIST<STRING>
// Rows: as those of `systems/tree/stored_reports`
UNWIND $ids AS id
MATCH (t:Overstory {id: id})-[:HAS_REPORT]->(r:Overstory:HiragReport) WHERE t:HiragCommunity AND t.corpus = $corpus
WITH DISTINCT r
RETURN r.id AS id, COLLECT { MATCH (r)<-[:HAS_REPORT]-(t:Overstory:HiragCommunity) RETURN t.id } AS communities,
  properties(r) AS properties,
  COLLECT { MATCH (r)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/hirag/unreported
// The communities of a generation that lost their report with a passage.
// Parameters: $generation INTEGER
// Rows: id STRING
MATCH (t:{{corpus}}_Unreported) WHERE t:{{corpus}}_HiragCommunity AND t.generation = $generation
  AND NOT EXISTS { (t)-[:HAS_REPORT]->(:{{corpus}}_HiragReport) }
RETURN t.id AS id
