// Those of the relations among some entities of which a passage is gone.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: source, target STRING (refs); properties MAP
UNWIND $ids AS id
MATCH (a:Overstory {id: id}) WHERE a:HiragEntity AND a.corpus = $corpus
UNWIND $ids AS other
MATCH (b:Overstory {id: other}) WHERE b:HiragEntity AND b.corpus = $corpus
MATCH (a)-[r:HIRAG_RELATED]->(b)
WHERE any(chunk IN r.chunks WHERE NOT EXISTS { MATCH (c:Overstory {id: chunk}) WHERE c:Chunk AND c.corpus = $corpus })
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties
