// Leads the links to documents that were missing to the documents, which are stored now.
// Parameters: $rows LIST<MAP {id, missing STRING (ids of the document and of what stands for it)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (t:Overstory {id: row.missing}) WHERE t:MissingDocument AND t.corpus = $corpus
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
CALL (corpus, t, d) {
  MATCH (from:Overstory:Document)-[old:LINKS]->(t)
  CREATE (from)-[new:LINKS]->(d)
  SET new = properties(old), from.touched = corpus.version + 1
}
DETACH DELETE t
