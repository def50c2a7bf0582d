// -- systems/hirag/write_bridges
// Write bridges: the cheapest paths between central entities of two communities.
// Parameters: $rows LIST<MAP {from, to STRING (ids of communities); names, refs, entities LIST<STRING> (names, refs and
//   ids of the entities in order); cost FLOAT; hops INTEGER}>
// Rows: none
UNWIND $rows AS row
MATCH (one:Overstory {id: row.from})
MATCH (other:Overstory {id: row.to})
WHERE one:TreeNode AND one.corpus = $corpus AND other:TreeNode AND other.corpus = $corpus
MERGE (one)-[bridge:BRIDGE]->(other)
SET one:$($corpus + '_HiragBridged'), bridge.names = row.names, bridge.refs = row.refs, bridge.entities = row.entities,
  bridge.cost = row.cost, bridge.hops = row.hops

// -- systems/hirag/stand_for
// Connect entities of layer 0 to the corpus' entities that they represent and are deleted with.
// Parameters: $rows LIST<MAP {id, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id, corpus: $corpus})
MATCH (entity:Overstory {id: row.entity}) WHERE entity:Entity AND entity.corpus = $corpus
SET e:OfEntity
MERGE (e)-[:STANDS_FOR]->(entity)

// -- systems/hirag/stand_on
// Connect entities without an entity of the corpus (summaries, and findings of a language model) to the passages of
// their names. They are deleted with the first of these passages.
// Parameters: $rows LIST<MAP {id STRING; chunks LIST<STRING> (ids)}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:HiragEntity AND e.corpus = $corpus
SET e:OfChunk
WITH e, row
UNWIND row.chunks AS id
MATCH (c:Overstory {id: id}) WHERE c:Chunk AND c.corpus = $corpus
CREATE (e)-[:STANDS_ON]->(c)

// -- systems/hirag/stored_entities
// Read the entities of a generation with their descriptions.
// Parameters: $generation INTEGER
// Rows: ref, key, name, type STRING; layer INTEGER; entity STRING (id of the corpus' entity, or null); text, by, source
//   STRING (null if deleted with a passage); chunks LIST<STRING> (ids)
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
OPTIONAL MATCH (e)-[:STANDS_FOR]->(entity:Overstory:Entity)
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN e.ref AS ref, e.key AS key, e.name AS name, e.type AS type, e.layer AS layer,
  entity.id AS entity, d.text AS text, e.by AS by, d.source AS source,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/hirag/stored_relations
// Read the relationships of one type between the entities of a generation.
// Parameters: $type STRING; $generation INTEGER
// Rows: source, target STRING (refs); properties MAP
MATCH (a:Overstory:HiragEntity {corpus: $corpus, generation: $generation})-[r:$($type)]->(b:Overstory:HiragEntity)
USING INDEX SEEK a:HiragEntity(corpus, generation)
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties

// -- systems/hirag/write_descriptions
// Write descriptions of entities with their passages and vectors. They must not exist yet. A description is deleted
// with any of its passages and with its entity.
// Parameters: $rows LIST<MAP {id, entity STRING; properties MAP; vector STRING (id of a stored one); chunks
//   LIST<STRING> (ids, most important first)}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.entity, corpus: $corpus})
MATCH (v:Overstory {id: row.vector}) WHERE v:DerivedVector AND v.corpus = $corpus
MERGE (d:Overstory {id: row.id})
SET d += row.properties, d:HiragDescription:$($corpus):$($corpus + '_HiragDescription'):$($corpus + '_Derived'),
  d:OfChunk:Shared
MERGE (e)-[:HAS_DESCRIPTION]->(d)
MERGE (d)-[:HAS_VECTOR]->(v)
WITH d, row
UNWIND range(0, size(row.chunks) - 1) AS position
MATCH (c:Overstory {id: row.chunks[position]}) WHERE c:Chunk AND c.corpus = $corpus
MERGE (d)-[s:STANDS_ON]->(c)
SET s.position = position

// -- systems/hirag/write_entities
// Write entities of a generation with all their properties.
// Parameters: $rows LIST<MAP {id STRING; properties MAP; vector LIST<FLOAT>}>; $labels LIST<STRING> (with the slot)
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
SET e += row.properties, e:HiragEntity:$($corpus):$($corpus + '_HiragEntity'):$($corpus + '_Derived'), e:$($labels)
WITH e, row
CALL db.create.setNodeVectorProperty(e, 'embedding', row.vector)
