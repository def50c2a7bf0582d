// -- systems/hirag/size
// Count the entities and relations of all layers.
// Parameters: $generation INTEGER
// Rows: entities INTEGER, relations INTEGER; one row
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
RETURN count(e) AS entities, coalesce(sum(COUNT { (e)-[:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(:Overstory:HiragEntity) }), 0) AS relations

// -- systems/hirag/examples
// Find the highest layer, as an example value for HiRAG's saved queries.
// Parameters: $found MAP (values found before)
// Rows: layer STRING (null if there is none, or a value was found before); one row
OPTIONAL MATCH (corpus:Corpus:{{corpus}})
OPTIONAL MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = corpus.generation_hirag AND e.layer > 0
WITH max(e.layer) AS highest
RETURN CASE WHEN coalesce($found.layer, '') = '' THEN toString(highest) END AS layer

// -- systems/hirag/report
// Count the reports of a generation, and the communities without one.
// Parameters: $generation INTEGER
// Rows: reports, without INTEGER; one row
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'hirag', generation: $generation})-[:HAS_REPORT]->(r:Overstory:HiragReport)
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  RETURN count(DISTINCT r) AS reports
}
CALL () {
  MATCH (t:Overstory:TreeNode {corpus: $corpus, tree: 'hirag', generation: $generation})
  USING INDEX SEEK t:TreeNode(corpus, tree, generation)
  WHERE t.level > 0 AND t.vector IS NOT NULL
    AND NOT EXISTS { (t)-[:HAS_REPORT]->(:Overstory:HiragReport) }
  RETURN count(t) AS without
}
RETURN reports, without

// -- systems/hirag/description_stands_on
// Find the documents on which the descriptions of some entities are based.
// Parameters: $ids LIST<STRING> (entities); $most INTEGER (documents per entity)
// Rows: id STRING; documents LIST<STRING> (ids; empty without a description)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
RETURN id, COLLECT {
  MATCH (e)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
