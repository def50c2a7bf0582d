// Files entities under their first letters; one that was filed under others moves.
// Parameters: $label STRING; $rows LIST<MAP {entity, entry, shelf (ids), letters STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity})
MERGE (n:Overstory {id: row.entry})
SET n:ToyEntry:{{corpus}}:{{corpus}}_ToyEntry:OfEntity, n.corpus = $label
MERGE (n)-[:FILES]->(e)
MERGE (s:Overstory {id: row.shelf})
SET s:ToyLetter:{{corpus}}:{{corpus}}_ToyLetter:Shared, s.corpus = $label, s.letters = row.letters
WITH n, s
OPTIONAL MATCH (n)-[old:UNDER]->(other) WHERE other <> s
DELETE old
MERGE (n)-[:UNDER]->(s)
