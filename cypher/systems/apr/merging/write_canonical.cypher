// Writes what edges are after merging.
// Parameters: $rows LIST<MAP {id, canonical STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:AprEdge AND e.corpus = $corpus
SET e.canonical = row.canonical
