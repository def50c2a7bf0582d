// The chunks that are about a name in full, and not about another one by themselves.
// Parameters: $rows LIST<MAP {lead, other STRING (ids of entities; the latter may be missing); key STRING (of the latter)}>;
//   $chunks LIST<STRING> (ids of chunks left out); $own LIST<STRING> (sources of what a chunk is about by itself)
// Rows: chunk, key STRING
UNWIND $rows AS row
MATCH (lead:Overstory {id: row.lead})-[a:ABOUT]->(c:Overstory:Chunk)
WHERE a.full AND a.source IN $own AND NOT c.id IN $chunks
  AND NOT EXISTS { (:Overstory {id: row.other})-[o:ABOUT]->(c) WHERE o.source IN $own }
RETURN DISTINCT c.id AS chunk, row.key AS key
