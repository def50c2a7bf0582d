// Writes what edges are after merging.
// Parameters: $rows LIST<MAP {id, canonical STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:{{corpus}}_AprEdge
SET e.canonical = row.canonical
