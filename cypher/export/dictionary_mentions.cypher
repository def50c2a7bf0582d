// The mentions that the dictionary found.
// Parameters: none
// Rows: key, name (of the entity), document STRING; df INTEGER; chunk INTEGER (place in the document);
//   surfaces LIST<STRING>; sentences LIST<INTEGER>
MATCH (e:Overstory:Entity)<-[m:MENTIONS {by: 'dictionary'}]-(c:Overstory {corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > '' AND c.token_count IS NOT NULL
RETURN e.key AS key, e.name AS name, e.dictionary_df AS df, d.source + ' ' + d.source_key AS document, c.seq AS chunk,
  m.surfaces AS surfaces, m.sentences AS sentences
