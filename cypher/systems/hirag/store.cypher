// -- systems/hirag/write_bridges
// Writes bridges: the cheapest paths between central entities of two communities.
// Parameters: $rows LIST<MAP {from, to STRING; names, refs, entities LIST<STRING>; cost FLOAT; hops INTEGER}> (ids of
//   communities, from below to; names, refs and ids of the entities on the way from one to the other)
// Rows: none
UNWIND $rows AS row
MATCH (one:Overstory {id: row.from})
MATCH (other:Overstory {id: row.to})
WHERE one:TreeNode AND one.corpus = $corpus AND other:TreeNode AND other.corpus = $corpus
MERGE (one)-[bridge:BRIDGE]->(other)
SET one:$($corpus + '_HiragBridged'), bridge.names = row.names, bridge.refs = row.refs, bridge.entities = row.entities,
  bridge.cost = row.cost, bridge.hops = row.hops

// -- systems/hirag/stand_for
// Ties entities of layer 0 to those of the corpus that they stand for, with which they are deleted.
// Parameters: $rows LIST<MAP {id, entity STRING}>
// Rows: none
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id, corpus: $corpus})
MATCH (entity:Overstory {id: row.entity}) WHERE entity:Entity AND entity.corpus = $corpus
SET e:OfEntity
MERGE (e)-[:STANDS_FOR]->(entity)

// -- systems/hirag/stand_on
// Ties entities that stand for no entity of the corpus to the passages that their names may come from: summaries, and
// what only a language model found. They are deleted with the first of these passages.
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
// The entities of a generation with what is said of them.
// Parameters: $generation INTEGER
// Rows: ref, key, name, type STRING; layer INTEGER; entity STRING (id of what it stands for, null for none);
//   text, by, source STRING (null where the description was deleted with a passage); chunks LIST<STRING> (ids)
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
OPTIONAL MATCH (e)-[:STANDS_FOR]->(entity:Overstory:Entity)
OPTIONAL MATCH (e)-[:HAS_DESCRIPTION]->(d:Overstory:HiragDescription)
RETURN e.ref AS ref, e.key AS key, e.name AS name, e.type AS type, e.layer AS layer,
  entity.id AS entity, d.text AS text, e.by AS by, d.source AS source,
  COLLECT { MATCH (d)-[s:STANDS_ON]->(c:Overstory:Chunk) RETURN c.id ORDER BY s.position } AS chunks

// -- systems/hirag/stored_relations
// The relationships of one type between the entities of a generation.
// Parameters: $type STRING; $generation INTEGER
// Rows: source, target STRING (refs); properties MAP
MATCH (a:Overstory:HiragEntity {corpus: $corpus, generation: $generation})-[r:$($type)]->(b:Overstory:HiragEntity)
USING INDEX SEEK a:HiragEntity(corpus, generation)
RETURN a.ref AS source, b.ref AS target, properties(r) AS properties

// -- systems/hirag/write_descriptions
// Writes what is said of entities, with the passages that it stands on and its vector; must not be there yet. It goes with
// the first of these passages, and with its entity.
// Parameters: $rows LIST<MAP {id, entity STRING; properties MAP; vector STRING (id of a stored one);
//   chunks LIST<STRING> (ids, the most important first)}>
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
// Writes entities of a generation, each with all of its properties.
// Parameters: $rows LIST<MAP {id STRING; properties MAP; vector LIST<FLOAT>}>; $labels LIST<STRING> (with their slot)
// Rows: none
UNWIND $rows AS row
MERGE (e:Overstory {id: row.id})
SET e += row.properties, e:HiragEntity:$($corpus):$($corpus + '_HiragEntity'):$($corpus + '_Derived'), e:$($labels)
WITH e, row
CALL db.create.setNodeVectorProperty(e, 'embedding', row.vector)
