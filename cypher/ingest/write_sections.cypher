// Writes what chunks tell of their sections, which changes nothing that an index of a system is made from.
// Parameters: $rows LIST<MAP {id STRING; properties MAP (null removes one)}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.id}) WHERE c:Chunk AND c.corpus = $corpus
SET c += row.properties
