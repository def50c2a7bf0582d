// The blocks that are boilerplate, by folder, those that most documents have first.
// Parameters: $limit INTEGER
// Rows: folder (path), words STRING; documents, of INTEGER (documents that have it, and of the folder)
MATCH (f:Folder:{{corpus}})<-[:REPEATED_IN]-(b:Block:{{corpus}})
WHERE b.boilerplate
RETURN f.path AS folder, b.words AS words, b.documents AS documents, f.documents AS of
ORDER BY folder, documents DESC, words LIMIT $limit
