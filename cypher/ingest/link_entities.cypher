// Names entities; the facts of one whose name changes are marked, since they carry it. A label says what kind of name it
// is, for Neo4j Browser, which colours nodes by their labels alone.
// Parameters: $rows LIST<MAP {id, name, type STRING; aliases LIST<STRING>; df INTEGER}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e, row) {
  WITH e, row WHERE e.name <> row.name
  MATCH (f:Overstory:Fact)-[:SUBJECT|OBJECT]->(e)
  SET f:$($corpus + '_Stale')
}
SET e.name = row.name, e.type = row.type, e.aliases = row.aliases, e.df = row.df, e.touched = corpus.version + 1
REMOVE e:PersonName:OrganisationName:PlaceName:WorkName:TechnicalName:$($corpus + '_Stale')
SET e:$(CASE
  WHEN row.type = 'PERSON' THEN ['PersonName']
  WHEN row.type IN ['ORG', 'NORP'] THEN ['OrganisationName']
  WHEN row.type IN ['GPE', 'LOC', 'FAC'] THEN ['PlaceName']
  WHEN row.type IN ['WORK_OF_ART', 'PRODUCT', 'LAW'] THEN ['WorkName']
  WHEN row.type IN ['CODE', 'OPTION', 'COMMAND', 'FILE', 'PACKAGE', 'TERM'] THEN ['TechnicalName']
  ELSE []
END)
