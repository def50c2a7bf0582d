// Notes the languages of passages that are written; the list only grows. Which there are decides how questions are read.
// Parameters: $id STRING (the corpus); $languages LIST<STRING>
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $id})
SET corpus.languages = coalesce(corpus.languages, [])
  + [language IN $languages WHERE NOT language IN coalesce(corpus.languages, [])]
