// Notes the languages of passages that are written; the list only grows. Which there are decides how questions are read.
// Parameters: $languages LIST<STRING>
// Rows: none
MATCH (corpus:Overstory:Corpus {id: $corpus})
SET corpus.languages = coalesce(corpus.languages, [])
  + [language IN $languages WHERE NOT language IN coalesce(corpus.languages, [])]
