// Makes sure that facts are there, and marks them for the entities stage.
// Parameters: $label STRING; $rows LIST<MAP {id, subject, predicate, object STRING}>
// Rows: none
UNWIND $rows AS row
MERGE (f:Overstory {id: row.id})
ON CREATE SET f:Fact:{{corpus}}, f.corpus = $label, f.subject = row.subject, f.predicate = row.predicate,
  f.object = row.object
SET f:{{corpus}}_Stale
