// The mentions that the dictionary found.
// Parameters: none
// Rows: key, name (of the entity), document STRING; df INTEGER; chunk INTEGER (place in the document);
//   surfaces LIST<STRING>; sentences LIST<INTEGER>
MATCH (e:Entity:{{corpus}})<-[m:MENTIONS {by: 'dictionary'}]-(c:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
RETURN e.key AS key, e.name AS name, e.dictionary_df AS df, d.source + ' ' + d.source_key AS document, c.seq AS chunk,
  m.surfaces AS surfaces, m.sentences AS sentences
