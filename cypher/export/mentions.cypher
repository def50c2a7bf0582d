// The mentions of some chunks, but for those of the dictionary, which follow from the others and the texts.
// Parameters: $chunks LIST<STRING> (ids)
// Rows: chunk, key, by STRING; surfaces, types LIST<STRING>; sentences LIST<INTEGER>; ordered
UNWIND $chunks AS chunk
MATCH (:Overstory {id: chunk, corpus: $corpus})-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by <> 'dictionary'
RETURN chunk, e.key AS key, m.by AS by, m.surfaces AS surfaces, m.types AS types, m.sentences AS sentences
ORDER BY chunk, by, key
