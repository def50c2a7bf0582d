// Leads the links to documents that are about to be deleted to nodes that stand for them; links between two of these
// documents go with them.
// Parameters: $ids LIST<STRING> (of the documents); $rows LIST<MAP {id, missing STRING
//   (ids of the document and of what is to stand for it)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (d:Overstory {id: row.id}) WHERE d:Document AND d.corpus = $corpus
MATCH (from:Overstory:Document)-[old:LINKS]->(d)
WHERE NOT from.id IN $ids
MERGE (t:Overstory {id: row.missing})
ON CREATE SET t:MissingDocument:$($corpus):$($corpus + '_MissingDocument'), t.corpus = $corpus, t.target_source = d.source,
  t.target_key = d.source_key
CREATE (from)-[new:LINKS]->(t)
SET new = properties(old), from.touched = corpus.version + 1
DELETE old
