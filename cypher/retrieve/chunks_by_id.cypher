// Some chunks, to be shown. In one row, which is read in four fifths of the time.
// Parameters: $ids LIST<STRING>
// Rows: chunks LIST<MAP {chunk_id, document_id, source, source_key, title, heading, text STRING; start, end INTEGER
//   (characters in the document); boilerplate LIST<INTEGER> or null (spans of the text); document MAP (its properties);
//   repeated INTEGER (other chunks that share its vector); sentences LIST<INTEGER> (first characters);
//   language STRING or null}>; one
UNWIND $ids AS id
MATCH (c:Overstory {id: id})-[:PART_OF]->(d:Overstory:Document) WHERE c:Chunk AND c.corpus = $corpus
RETURN collect({
  chunk_id: c.id, document_id: d.id, source: d.source, source_key: d.source_key, title: c.title, heading: c.heading,
  text: c.text, start: c.start, end: c.end, boilerplate: c.boilerplate, document: properties(d),
  repeated: coalesce([(c)-[:HAS_VECTOR]->(v:Overstory:PassageVector) | COUNT { (v)<-[:HAS_VECTOR]-() } - 1][0], 0),
  sentences: coalesce(c.sentences, [0]), language: c.language
}) AS chunks
