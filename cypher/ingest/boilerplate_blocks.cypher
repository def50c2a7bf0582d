// The blocks that are boilerplate in some folders.
// Parameters: $folders LIST<STRING> (ids)
// Rows: folder STRING (id); hashes LIST<INTEGER>
UNWIND $folders AS folder
MATCH (f:Overstory {id: folder})
RETURN folder, COLLECT { MATCH (f)<-[:REPEATED_IN]-(b:Overstory:Block) WHERE b.boilerplate RETURN b.hash } AS hashes
