// The names that some documents mention, and how many of their passages do.
// Parameters: $documents LIST<STRING> (ids); $type STRING ('' for all); $prefix STRING (of keys; '' for all);
//   $others LIST<STRING> (keys that count as well); $kinds LIST<STRING> (whose mentions count for the df of an entity)
// Rows: names LIST<LIST> (id of an entity; key; type; passages in which parsers saw it; in which the dictionary did); one
UNWIND $documents AS document
MATCH (:Overstory {id: document, corpus: $corpus})<-[:PART_OF]-(c:Overstory:Chunk)-[m:MENTIONS]->(e:Overstory:Entity)
WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, count(DISTINCT CASE WHEN m.by IN $kinds THEN c END) AS parsed,
  count(DISTINCT CASE WHEN m.by = 'dictionary' THEN c END) AS listed
RETURN collect([e.id, e.key, coalesce(e.type, ''), parsed, listed]) AS names
