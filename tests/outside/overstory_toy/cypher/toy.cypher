// -- systems/toy/find
// The passages that mention most names under some letters.
// Parameters: $letters LIST<STRING>; $limit INTEGER
// Rows: chunk STRING (id); names INTEGER; most first
MATCH (s:{{corpus}}_ToyLetter)<-[:UNDER]-()-[:FILES]->(e)<-[:MENTIONS]-(c:{{corpus}}_Chunk)
WHERE s.letters IN $letters
RETURN c.id AS chunk, count(DISTINCT e) AS names ORDER BY names DESC, chunk LIMIT $limit

// -- systems/toy/names
// Some entities as they are called now.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:{{corpus}}_Entity
RETURN id, e.name AS name

// -- systems/toy/remember
// Remembers an answer.
// Parameters: $label, $id, $text STRING
// Rows: none
MERGE (m:Overstory {id: $id})
SET m:ToyMemory:{{corpus}}:{{corpus}}_ToyMemory, m.corpus = $label, m.text = $text

// -- systems/toy/write
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
