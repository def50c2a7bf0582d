// The documents of some sources.
// Parameters: $sources LIST<STRING>
// Rows: document MAP (the properties)
UNWIND $sources AS source
MATCH (d:Overstory {corpus: $corpus, source: source})
USING INDEX SEEK d:Overstory(corpus, source, source_key)
WHERE d.source_key IS NOT NULL
RETURN properties(d) AS document
