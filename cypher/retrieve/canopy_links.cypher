// Where links lead from some chunks: documents that theirs link to, or that link to theirs. Of a document with many links
// only those count that lead to documents which are found already.
// Parameters: $sources LIST<STRING> (ids of chunks); $found LIST<STRING> (ids of documents); $most INTEGER (links of a
//   document that is not such a one); $most_chunks INTEGER (of a document that is not found already);
//   $hyperlink STRING (the type of links that lead nowhere)
// Rows: title STRING (of a source's document); degree INTEGER (links that it has); links LIST<LIST> (the source; ids of
//   the document at the other end, and of its first chunk, null if it has more than $most_chunks; type and text of the
//   link; whether it starts at the source's document); one a source
UNWIND $sources AS source
MATCH (:Overstory {id: source, corpus: $corpus})-[:PART_OF]->(d:Overstory:Document)
WITH source, d, COUNT { (d)-[:LINKS]->() } + COUNT { (d)<-[:LINKS]-() } AS degree
CALL (source, d, degree) {
  CALL (d, degree) {
    WITH d, degree WHERE degree <= $most
    MATCH (d)-[l:LINKS]-(t:Overstory:Document) WHERE t <> d AND l.type <> $hyperlink
    RETURN l, t
    UNION ALL
    WITH d, degree WHERE degree > $most
    UNWIND $found AS id
    MATCH (t:Overstory {id: id, corpus: $corpus}) WHERE t <> d
    MATCH (d)-[l:LINKS]-(t) WHERE l.type <> $hyperlink
    RETURN l, t
  }
  RETURN collect([
    source, t.id,
    CASE WHEN t.chunks <= $most_chunks THEN COLLECT {
      MATCH (t)<-[:PART_OF]-(c:Overstory:Chunk) WHERE NOT c:BoilerplateOnly
      RETURN c.id ORDER BY c.seq LIMIT 1
    }[0] END,
    l.type, l.text, startNode(l) = d
  ]) AS links
}
RETURN d.title AS title, degree, links
