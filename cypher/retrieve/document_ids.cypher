// The ids of all documents of a corpus.
// Parameters: none
// Rows: documents LIST<STRING>; one
MATCH (d:Overstory {corpus: $corpus})
USING INDEX SEEK d:Overstory(corpus, id, sha256)
WHERE d.id > '' AND d.sha256 IS NOT NULL
RETURN collect(d.id) AS documents
