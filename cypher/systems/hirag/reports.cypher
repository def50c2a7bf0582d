// -- systems/hirag/size
// How large the graph of all layers is.
// Parameters: $generation INTEGER
// Rows: entities INTEGER, relations INTEGER; one row
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
RETURN count(e) AS entities, coalesce(sum(COUNT { (e)-[:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(:Overstory:HiragEntity) }), 0) AS relations

// -- systems/hirag/examples
// A value for the parameters of the saved queries that only HiRAG's have: its highest layer.
// Parameters: $found MAP (values that were found before)
// Rows: layer STRING (null where there is none, or where a value was found); one row
OPTIONAL MATCH (corpus:Corpus:{{corpus}})
OPTIONAL MATCH (e:{{corpus}}_HiragEntity) WHERE e.generation = corpus.generation_hirag AND e.layer > 0
WITH max(e.layer) AS highest
RETURN CASE WHEN coalesce($found.layer, '') = '' THEN toString(highest) END AS layer

// -- systems/hirag/report
// How many reports a generation has, and how many communities lack one.
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
// The documents that the descriptions of some entities stand on; of each only the first that are met.
// Parameters: $ids LIST<STRING> (entities); $most INTEGER (documents of each)
// Rows: id STRING; documents LIST<STRING> (ids; none where there is no description)
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:HiragEntity AND e.corpus = $corpus
RETURN id, COLLECT {
  MATCH (e)-[:HAS_DESCRIPTION]->(:Overstory:HiragDescription)-[:STANDS_ON]->(:Overstory:Chunk)-[:PART_OF]->(d:Overstory:Document)
  RETURN DISTINCT d.id LIMIT $most
} AS documents
