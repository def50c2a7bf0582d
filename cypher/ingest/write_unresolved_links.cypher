// Writes links to documents that are not stored: to nodes that stand for them until they are. None of the links may be there
// yet, as for `write_links`.
// Parameters: $rows LIST<MAP {document, target (ids), target_source, target_key, type, text STRING;
//   weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document})
MERGE (t:Overstory {id: row.target})
ON CREATE SET t:MissingDocument:$($corpus):$($corpus + '_MissingDocument'), t.corpus = $corpus,
  t.target_source = row.target_source, t.target_key = row.target_key
CREATE (d)-[:LINKS {type: row.type, text: row.text, weight: row.weight}]->(t)
