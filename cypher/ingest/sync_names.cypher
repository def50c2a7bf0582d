// Writes in how many chunks the dictionary finds names and whether a chunk is about them, names those that the entities stage
// does not name, and takes the mark of change off them.
// Parameters: $rows LIST<MAP {id STRING; df INTEGER or null (not looked for); subject BOOLEAN or null (not);
//   common BOOLEAN or null (texts are searched for it); name, type STRING or null (stay);
//   aliases LIST<STRING> or null (stay)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
SET e.dictionary_df = row.df, e.subject = row.subject, e.common = row.common,
  e.name = coalesce(row.name, e.name), e.type = coalesce(row.type, e.type),
  e.aliases = coalesce(row.aliases, e.aliases),
  e.touched = corpus.version + 1
REMOVE e:$($corpus + '_Changed')
WITH e, row WHERE row.type IS NOT NULL // no parser found it: a vocabulary, its shape or a definition says what it is
REMOVE e:PersonName:OrganisationName:PlaceName:WorkName:TechnicalName
SET e:$(CASE
  WHEN row.type = 'PERSON' THEN ['PersonName']
  WHEN row.type IN ['ORG', 'NORP'] THEN ['OrganisationName']
  WHEN row.type IN ['GPE', 'LOC', 'FAC'] THEN ['PlaceName']
  WHEN row.type IN ['WORK_OF_ART', 'PRODUCT', 'LAW'] THEN ['WorkName']
  WHEN row.type IN ['CODE', 'OPTION', 'COMMAND', 'FILE', 'PACKAGE', 'TERM'] THEN ['TechnicalName']
  ELSE []
END)
