// -- ingest/remove_entities
// Delete entities without mentions, with the nodes based on them. A shared node is deleted with the last node it is
// based on.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (n:Overstory:OfEntity)-->(e)
  OPTIONAL MATCH (n)-->(shared:Overstory:Shared)
  WITH collect(DISTINCT n) AS nodes, collect(DISTINCT shared) AS shared
  FOREACH (n IN nodes | DETACH DELETE n)
  WITH shared
  UNWIND shared AS s
  WITH s WHERE NOT EXISTS { (s)<--(:Overstory) }
  OPTIONAL MATCH (s)-->(below:Overstory:Shared)
  WITH collect(DISTINCT s) AS unused, collect(DISTINCT below) AS below
  FOREACH (s IN unused | DETACH DELETE s)
  WITH below
  UNWIND below AS b
  WITH b WHERE NOT EXISTS { (b)<--(:Overstory) }
  DETACH DELETE b
}
DETACH DELETE e

// -- ingest/finish_renamed
// Remove the mark from chunks whose names were edited.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (c:Overstory {id: id})
REMOVE c:$($corpus + '_Renamed')

// -- ingest/link_dead_facts
// Delete facts that no chunk states, with their relationships between entities. Commits in batches.
// Parameters: none
// Rows: none
MATCH (f:{{corpus}}_Stale:Fact:{{corpus}}) WHERE NOT EXISTS { (f)-[:STATED_IN]->() }
CALL (f) {
  OPTIONAL MATCH (f)-[:SUBJECT]->(s:Entity:{{corpus}})-[r:RELATED {predicate: f.predicate}]->(o:Entity:{{corpus}})<-[:OBJECT]-(f)
  DELETE r
  DETACH DELETE f
} IN TRANSACTIONS OF 1000 ROWS

// -- ingest/link_entities
// Write names and types of entities. Facts of a renamed entity are marked, because they contain the name. A label gives
// the kind of name, because Neo4j Browser colours nodes by label.
// Parameters: $rows LIST<MAP {id, name, type STRING; aliases LIST<STRING>; df INTEGER; types LIST<STRING>, votes
//   LIST<INTEGER> (the types that parsers gave its mentions, and how often); short LIST<STRING> (keys of other names
//   that documents use for it)}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (e:Overstory {id: row.id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e, row) {
  WITH e, row WHERE e.name <> row.name
  MATCH (f:Overstory:Fact)-[:SUBJECT|OBJECT]->(e)
  SET f:$($corpus + '_Stale')
}
SET e.name = row.name, e.type = row.type, e.aliases = row.aliases, e.df = row.df, e.types = row.types,
  e.votes = row.votes, e.touched = corpus.version + 1
REMOVE e:PersonName:OrganisationName:PlaceName:WorkName:TechnicalName:$($corpus + '_Stale')
SET e:$(CASE
  WHEN row.type = 'PERSON' THEN ['PersonName']
  WHEN row.type IN ['ORG', 'NORP'] THEN ['OrganisationName']
  WHEN row.type IN ['GPE', 'LOC', 'FAC'] THEN ['PlaceName']
  WHEN row.type IN ['WORK_OF_ART', 'PRODUCT', 'LAW'] THEN ['WorkName']
  WHEN row.type IN ['CODE', 'OPTION', 'COMMAND', 'FILE', 'PACKAGE', 'TERM'] THEN ['TechnicalName']
  ELSE []
END)
WITH e, row
CALL (e, row) {
  MATCH (n:Overstory:ShortName)-[:OF]->(e) WHERE NOT n.key IN row.short
  DETACH DELETE n
}
CALL (e, row) {
  UNWIND row.short AS short
  MERGE (n:Overstory {id: e.id + ' ' + short})
  ON CREATE SET n:ShortName:$($corpus):OfEntity, n.corpus = $corpus, n.key = short, n.backwards = reverse(short)
  MERGE (n)-[:OF]->(e)
}

// -- ingest/link_facts
// Write the texts of facts with the names of their entities, and RELATED between the two entities of a fact.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (f:Overstory {id: id, corpus: $corpus})
OPTIONAL MATCH (f)-[:SUBJECT]->(s:Overstory:Entity)
OPTIONAL MATCH (f)-[:OBJECT]->(o:Overstory:Entity)
CALL (f) {
  MATCH (f)-[statement:STATED_IN]->(:Overstory)
  RETURN count(statement) AS weight, min(statement.quote) AS description
}
SET f.subject = coalesce(s.name, f.subject), f.object = coalesce(o.name, f.object)
SET f.text = f.subject + ' ' + f.predicate + ' ' + f.object
REMOVE f:$($corpus + '_Stale')
WITH f, s, o, weight, description WHERE s IS NOT NULL AND o IS NOT NULL AND s <> o
MERGE (s)-[r:RELATED {predicate: f.predicate}]->(o)
SET r.weight = weight, r.description = description

// -- ingest/mark_parsed_mentions
// Mark the chunks in which a parser found some entities as changed, so that the names of their documents are computed
// again. Commits in batches.
// Parameters: $ids LIST<STRING> (entities); $by STRING (kind of the parser's mentions)
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id})<-[m:MENTIONS]-(c:Overstory:Chunk) WHERE e:Entity AND e.corpus = $corpus AND m.by = $by
CALL (c) { SET c:$($corpus + '_Changed') } IN TRANSACTIONS OF 10000 ROWS

// -- ingest/renamed_chunks
// Read the next chunks whose names must be edited again.
// Parameters: $limit INTEGER
// Rows: id STRING; same LIST<STRING> or null (names of the document, each followed by the name that it stands for)
MATCH (c:{{corpus}}_Renamed:{{corpus}}_Chunk)
WITH c LIMIT $limit
RETURN c.id AS id, head([(c)-[:PART_OF]->(d:Overstory:Document) | d.same_names]) AS same

// -- ingest/stale_entities
// Read the data for naming entities: spellings, types and number of chunks. Each mention is read once.
// Parameters: $ids LIST<STRING>; $kinds LIST<STRING> (kinds of mentions that count)
// Rows: entities LIST<MAP {id, key STRING; held BOOLEAN (other mentions or ABOUT exist); df INTEGER; surfaces, types
//   LIST<LIST> (a string and its frequency)}>; one row
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
CALL (e) {
  MATCH (c:Overstory:Chunk)-[m:MENTIONS]->(e) WHERE m.by IN $kinds
  RETURN count(DISTINCT c) AS df, collect(m.surfaces) AS all_surfaces, collect(m.types) AS all_types
}
CALL (all_surfaces) {
  UNWIND all_surfaces AS some
  UNWIND some AS surface
  WITH surface, count(*) AS n
  RETURN collect([surface, n]) AS surfaces
}
CALL (all_types) {
  UNWIND all_types AS some
  UNWIND some AS type
  WITH type, count(*) AS n
  RETURN collect([type, n]) AS types
}
WITH e, EXISTS { (e)<-[:MENTIONS]-() } OR EXISTS { (e)-[:ABOUT]->() } AS held, df, surfaces, types
RETURN collect({id: e.id, key: e.key, held: held, df: df, surfaces: surfaces, types: types}) AS entities

// -- ingest/stale_entity_ids
// Read the ids of entities that need names.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one row
MATCH (e:{{corpus}}_Stale:Entity:{{corpus}})
WITH e LIMIT $limit
RETURN collect(e.id) AS ids

// -- ingest/stale_fact_ids
// Read the ids of facts that need texts.
// Parameters: $limit INTEGER
// Rows: ids LIST<STRING>; one row
MATCH (f:{{corpus}}_Stale:Fact)
WITH f LIMIT $limit
RETURN collect(f.id) AS ids

// -- ingest/write_document_names
// Write the names of documents that stand for others, and mark the chunks whose mentions follow.
// Parameters: $rows LIST<MAP {document STRING; same LIST<STRING> (a name, followed by the name that it stands for);
//   renamed LIST<STRING> (chunks with other mentions); is_changed BOOLEAN (other names than before)}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory {id: row.document}) WHERE d:Document AND d.corpus = $corpus
SET d.same_names = CASE row.same WHEN [] THEN null ELSE row.same END
WITH d, row
CALL (row) {
  UNWIND row.renamed AS id
  MATCH (c:Overstory {id: id})
  SET c:$($corpus + '_Renamed')
}
CALL (d, row) {
  WITH d WHERE row.is_changed
  MATCH (d)<-[:PART_OF]-(c:Overstory:Chunk)
  SET c:$($corpus + '_Changed')
}
