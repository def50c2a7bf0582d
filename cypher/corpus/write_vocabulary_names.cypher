// Adds names of vocabularies, or replaces what they said.
// Parameters: $rows LIST<MAP {id, source, key, name, type STRING; aliases LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MERGE (v:Overstory {id: row.id})
ON CREATE SET v:VocabularyName:$($corpus), v.corpus = $corpus, v.source = row.source, v.key = row.key
SET v.name = row.name, v.type = row.type, v.aliases = row.aliases
