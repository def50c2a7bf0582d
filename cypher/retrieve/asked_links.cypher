// Links of some documents that have a word of the question in type or text, or lead from one of these documents to another.
// Parameters: $documents, $words LIST<STRING> (ids; beginnings of words in lower case); $looked_at, $most INTEGER (links of
//   a document that are read, and that are told); $hyperlink STRING (the type of links that say nothing)
// Rows: links LIST<LIST> (ids, titles and first chunks of the document that the link starts from and of the one that it
//   leads to; type and text; the id of the document in $documents); one a document
UNWIND $documents AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
CALL (d) {
  MATCH (d)-[l:LINKS]-(t:Overstory:Document)
  WITH d, l, t LIMIT $looked_at
  WHERE t <> d AND l.type <> $hyperlink AND (t.id IN $documents
    OR any(word IN $words WHERE toLower(l.type) CONTAINS word OR toLower(l.text) CONTAINS word))
  RETURN l, startNode(l) AS source, endNode(l) AS target ORDER BY l.weight DESC, l.type, t.id LIMIT $most
}
WITH d, l, source, target,
  COLLECT { MATCH (source:Overstory:Document)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0 RETURN c.id LIMIT 1 }[0] AS first,
  COLLECT { MATCH (target:Overstory:Document)<-[:PART_OF]-(c:Overstory:Chunk) WHERE c.seq = 0 RETURN c.id LIMIT 1 }[0] AS second
RETURN collect([source.id, source.title, first, target.id, target.title, second, l.type, l.text, d.id]) AS links
