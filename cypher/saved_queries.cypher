// -- saved_queries/aliases
// Entities: most spellings
// Parameters: none
// Rows: name, type STRING; ways INTEGER (number of spellings); aliases LIST<STRING> (most frequent first); most
//   spellings first
MATCH (e:Entity:{{corpus}}) WHERE size(e.aliases) > 0
RETURN e.name AS name, e.type AS type, 1 + size(e.aliases) AS ways, e.aliases AS aliases
ORDER BY ways DESC, name LIMIT 50

// -- saved_queries/community
// Community: its contents and bridges
// Parameters: $tree STRING (name of a tree); $community STRING (its id, or the beginning of its id)
// Rows: part, bridge PATH (bridge is null in most rows); a picture of up to 25 leaves of the greatest volume with their
//   nodes, and of the 15 strongest relationships from there to other communities. Needs the index of a system with
//   trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
CALL (t) {
  MATCH (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(unit:{{corpus}})
  WITH leaf, unit ORDER BY leaf.volume DESC, unit.id LIMIT 1000
  RETURN collect({leaf: leaf, unit: unit}) AS members
}
CALL (t, members) {
  UNWIND members[..25] AS member
  WITH t, member.leaf AS leaf
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(:{{corpus}})
  RETURN part, null AS bridge
  UNION ALL
  UNWIND members AS member
  WITH t, member.unit AS unit
  MATCH (unit)-[l]-(o:{{corpus}})<-[:COVERS]-(there:{{corpus}}_TreeNode)
  WHERE l.weight IS NOT NULL AND there.tree = t.tree AND there.generation = t.generation
    AND NOT EXISTS { (there)-[:CHILD_OF*1..10]->(t) }
  WITH t, unit, l, there, o ORDER BY l.weight DESC, unit.id, o.id LIMIT 15
  MATCH part = (t)<-[:CHILD_OF*1..10]-(leaf)-[:COVERS]->(unit)
  MATCH bridge = (unit)-[l]-(o)<-[:COVERS]-(there)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
  RETURN part, bridge
}
RETURN part, bridge

// -- saved_queries/document_facts
// Document: its facts, with their sentences
// Parameters: $document STRING (title, id or source of a document)
// Rows: passage INTEGER; subject, predicate, object, sentence STRING; by STRING (finder of the fact); in reading order
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)<-[s:STATED_IN]-(f:Fact:{{corpus}})
RETURN c.seq AS passage, f.subject AS subject, f.predicate AS predicate, f.object AS object, s.quote AS sentence,
  s.by AS by
ORDER BY passage, by, s.position LIMIT 200

// -- saved_queries/document_links
// Document: its links in both directions
// Parameters: $document STRING (title, id or source of a document)
// Rows: link PATH; a picture of up to 100 links, including links to missing documents
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH link = (d)-[l:LINKS]-(other:{{corpus}}_Document|{{corpus}}_MissingDocument)
RETURN link ORDER BY l.type, other.title LIMIT 100

// -- saved_queries/document_passages
// Document: its passages in reading order
// Parameters: $document STRING (title, id or source of a document)
// Rows: part, following PATH (following is null for the last passage); a picture of up to 50 passages
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH part = (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
WITH c, part ORDER BY c.seq LIMIT 50
OPTIONAL MATCH following = (c)-[:NEXT]->(:{{corpus}}_Chunk)
RETURN part, following

// -- saved_queries/documents
// Corpus: its longest documents
// Parameters: none
// Rows: title STRING, passages INTEGER, source, source_key, id STRING; most passages first
MATCH (d:{{corpus}}_Document)
RETURN d.title AS title, d.chunks AS passages, d.source AS source, d.source_key AS source_key, d.id AS id
ORDER BY passages DESC, title, id LIMIT 50

// -- saved_queries/documents_with
// Documents: shared metadata values
// Parameters: $key STRING (a metadata key)
// Rows: tie PATH; a picture of the five most frequent values, each with ten of its documents
MATCH (k:{{corpus}}_MetadataKey) WHERE k.key = $key
MATCH (k)<-[:OF_KEY]-(v:MetadataValue)
WITH v ORDER BY COUNT { (v)<-[:HAS_VALUE]-() } DESC, v.id LIMIT 5
CALL (v) { MATCH tie = (v)<-[:HAS_VALUE]-(:{{corpus}}_Document) RETURN tie LIMIT 10 }
RETURN tie

// -- saved_queries/find_text
// Search: passages by words
// Parameters: $words STRING (Lucene's syntax: a word, "a phrase", +needed, -unwanted, begin*)
// Rows: score FLOAT, title, text, heading, id STRING (of the passage); best first
MATCH (corpus:Overstory {id: '{{corpus}}'})
CALL db.index.fulltext.queryNodes('overstory_text_' + corpus.index_set, $words, {limit: 25}) YIELD node AS c, score
RETURN round(score, 3) AS score, c.title AS title, c.text AS text, c.heading AS heading, c.id AS id
ORDER BY score DESC, id

// -- saved_queries/mention_sentences
// Entity: the sentences that mention it
// Parameters: $name STRING (name or alias, in any case)
// Rows: name, title, sentence STRING (the whole passage if the sentence is unknown); passage INTEGER; by STRING (finder
//   of the mention); by title, in reading order
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)
UNWIND CASE WHEN m.sentences = [] OR c.sentences IS NULL THEN [null] ELSE m.sentences END AS i
WITH DISTINCT e, m, c, i,
  coalesce(c.sentences[i], 0) AS start, coalesce(c.sentences[i + 1], size(c.text)) AS end
RETURN e.name AS name, c.title AS title, trim(substring(c.text, start, end - start)) AS sentence, c.seq AS passage,
  m.by AS by
ORDER BY title, passage, start LIMIT 100

// -- saved_queries/mentions
// Entity: the passages that mention it
// Parameters: $name STRING (name or alias, in any case)
// Rows: mention PATH; a picture of up to 25 passages that mention it most often, each with one relationship
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)
WITH e, c, m ORDER BY m.count DESC, m.by
WITH e, c, collect(m)[0] AS most
WITH e, c, most ORDER BY most.count DESC, c.title, c.seq LIMIT 25
MATCH mention = (e)<-[most]-(c)
RETURN mention

// -- saved_queries/metadata
// Documents: their metadata keys, with types and counts
// Parameters: none
// Rows: key, type STRING; documents, values INTEGER (documents with a value, distinct values)
MATCH (k:{{corpus}}_MetadataKey)
RETURN k.key AS key, k.type AS type, k.documents AS documents, COUNT { (k)<-[:OF_KEY]-() } AS values
ORDER BY key, type LIMIT 200

// -- saved_queries/names
// Entities: most mentioned
// Parameters: $type STRING (PERSON, ORG, GPE, …; '' for all types)
// Rows: name, type STRING; passages INTEGER; specificity FLOAT (IDF weight; near 1 for rare names); aliases
//   LIST<STRING>; most passages first
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type]
RETURN e.name AS name, e.type AS type, e.df AS passages,
  round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 3) AS specificity, e.aliases AS aliases
ORDER BY passages DESC, name LIMIT 50

// -- saved_queries/overview
// Corpus: its nodes and relationships by kind
// Parameters: none
// Rows: what STRING (node or relationship), kind STRING (its label or type), number INTEGER; most first
CALL () {
  MATCH (n:{{corpus}})
  WITH [label IN labels(n) WHERE NOT label STARTS WITH 'Corpus_' AND NOT label IN
    ['Overstory', 'PersonName', 'OrganisationName', 'PlaceName', 'WorkName', 'TechnicalName']] AS kinds
  RETURN 'node' AS what, kinds[0] AS kind, count(*) AS number
  UNION ALL
  MATCH (:{{corpus}})-[r]->(:Overstory)
  RETURN 'relationship' AS what, type(r) AS kind, count(*) AS number
}
RETURN what, kind, number ORDER BY what, number DESC, kind LIMIT 50

// -- saved_queries/passage_graph
// Document: the facts and entities of its first passage
// Parameters: $document STRING (title, id or source of a document)
// Rows: stated, argument PATH (argument is null for a fact without entities); a picture of up to 15 facts
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(c:{{corpus}}_Chunk)
WITH c ORDER BY c.seq LIMIT 1
MATCH stated = (c)<-[s:STATED_IN]-(f:Fact:{{corpus}})
WITH f, stated ORDER BY s.position LIMIT 15
OPTIONAL MATCH argument = (f)-[:SUBJECT|OBJECT]->(:Entity:{{corpus}})
RETURN stated, argument

// -- saved_queries/paths
// Two entities: the shortest paths between them
// Parameters: $name, $other STRING (names or aliases, in any case)
// Rows: way PATH; sentences LIST<STRING> (one per step; see the Table view); a picture of up to 5 paths
MATCH (a:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [a.name, a.key] + coalesce(a.aliases, []) | toLower(way)]
MATCH (b:Entity:{{corpus}})
WHERE toLower($other) IN [way IN [b.name, b.key] + coalesce(b.aliases, []) | toLower(way)] AND a <> b
MATCH way = allShortestPaths((a)-[:RELATED*..5]-(b)) WHERE all(node IN nodes(way) WHERE node:{{corpus}})
RETURN way, [step IN relationships(way) | step.description] AS sentences ORDER BY length(way) LIMIT 5

// -- saved_queries/related
// Entity: the facts around it
// Parameters: $name STRING (name or alias, in any case)
// Rows: fact PATH; a picture of the 50 relationships that are stated most often; or hint STRING, if there are no facts
OPTIONAL MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
OPTIONAL MATCH fact = (e)-[r:RELATED]-(:Entity:{{corpus}})
WITH e, fact, r ORDER BY r.weight DESC, r.predicate
WITH count(e) AS names, collect(fact)[..50] AS facts
UNWIND CASE facts WHEN [] THEN [null] ELSE facts END AS fact
RETURN fact, CASE
  WHEN fact IS NOT NULL THEN null
  WHEN names = 0 THEN 'No name in this corpus is written so: look for it with "Search: passages by their words".'
  ELSE 'No fact with two names has it: look at "Name: the passages that mention it".'
END AS hint LIMIT 50

// -- saved_queries/report
// Community: its report, and the passages behind it
// Parameters: $tree STRING (name of a tree); $community STRING (its id, or the beginning of its id)
// Rows: report, place PATH (from the community over its report to a passage; from there to its community); a picture of
//   the first 15 passages. Needs the index of a system that writes reports; overstory report shows their texts
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.vector IS NOT NULL
  AND t.id STARTS WITH toLower($community) AND $community <> ''
WITH t ORDER BY t.id LIMIT 1
MATCH report = (t)-[:HAS_REPORT]->(:{{corpus}}_CommunityReport)-[s:STANDS_ON]->(:{{corpus}}_Chunk)
WITH t, report, s ORDER BY s.position LIMIT 15
OPTIONAL MATCH place = (t)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
RETURN report, place

// -- saved_queries/similar_passages
// Search: passages similar to a document's first
// Parameters: $document STRING (title, id or source of a document)
// Rows: similarity FLOAT (cosine); title, text, heading, id STRING (of the passage); times INTEGER (passages with this
//   text); nearest first, each text once
MATCH (corpus:Corpus:{{corpus}})
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH corpus.embedding_property AS vector, d ORDER BY d.id LIMIT 1
MATCH (d)<-[:PART_OF]-(first:{{corpus}}_Chunk)
WITH vector, first ORDER BY first.seq LIMIT 1
MATCH (first)-[:HAS_VECTOR]->(own) WHERE any(x IN own[vector] WHERE x < 0.0 OR x > 0.0)
MATCH (v:{{corpus}}_PassageVector) WHERE v <> own AND any(x IN v[vector] WHERE x < 0.0 OR x > 0.0)
WITH v, 2 * vector.similarity.cosine(v[vector], own[vector]) - 1 AS similarity ORDER BY similarity DESC, v.id LIMIT 25
CALL (v) {
  MATCH (v)<-[:HAS_VECTOR]-(c:{{corpus}}_Chunk)
  RETURN c ORDER BY c.id LIMIT 1
}
RETURN round(similarity, 3) AS similarity, c.title AS title, c.text AS text, c.heading AS heading, c.id AS id,
  COUNT { (v)<-[:HAS_VECTOR]-() } AS times
ORDER BY similarity DESC, id

// -- saved_queries/specific_names
// Entities: connecting a few documents
// Parameters: $type STRING (PERSON, ORG, GPE, …; '' for all types)
// Rows: name, type STRING; documents INTEGER (2 to 5), titles LIST<STRING>, specificity FLOAT; most specific first
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND e.df >= 2
WITH e ORDER BY e.df, e.name LIMIT 1000
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WITH e, collect(DISTINCT d.title) AS titles WHERE 2 <= size(titles) <= 5
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
RETURN e.name AS name, e.type AS type, size(titles) AS documents, titles,
  round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 3) AS specificity
ORDER BY specificity DESC, name LIMIT 50

// -- saved_queries/stages
// Corpus: the last run of each stage
// Parameters: none
// Rows: stage, status STRING; started DATETIME; seconds FLOAT; tokens INTEGER; counts LIST<STRING>; oldest first
MATCH (s:Stage:{{corpus}})
RETURN s.name AS stage, s.status AS status, s.started AS started, s.seconds AS seconds, s.tokens AS tokens,
  [key IN keys(s) WHERE key STARTS WITH 'count_' AND s[key] > 0 | s[key] + ' ' + substring(key, 6)] AS counts
ORDER BY started LIMIT 50

// -- saved_queries/together
// Two entities: the passages that mention both
// Parameters: $name, $other STRING (names or aliases, in any case)
// Rows: together PATH; a picture of up to 25 passages, each with one relationship to either entity
MATCH (a:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [a.name, a.key] + coalesce(a.aliases, []) | toLower(way)]
MATCH (b:Entity:{{corpus}})
WHERE toLower($other) IN [way IN [b.name, b.key] + coalesce(b.aliases, []) | toLower(way)] AND a <> b
MATCH (a)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)-[n:MENTIONS WHERE n.by <> 'dictionary']->(b)
WITH a, b, c, m, n ORDER BY m.count DESC, n.count DESC, m.by, n.by
WITH a, b, c, collect(m)[0] AS to_one, collect(n)[0] AS to_other
WITH a, b, c, to_one, to_other ORDER BY to_one.count + to_other.count DESC, c.title, c.seq LIMIT 25
MATCH together = (a)<-[to_one]-(c)-[to_other]->(b)
RETURN together

// -- saved_queries/tree
// Tree: its upper communities
// Parameters: $tree STRING (name of a tree)
// Rows: part PATH (from a community to its parent); a picture of up to 60 communities, upper levels and large ones
//   first. Needs the index of a system with trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = $tree AND t.generation = corpus['generation_' + t.derived] AND t.level > 0 AND t.vector IS NOT NULL
WITH t ORDER BY t.level, t.size DESC, t.id LIMIT 60
MATCH part = (t)-[:CHILD_OF]->(:{{corpus}}_TreeNode)
RETURN part

// -- saved_queries/tree_entropy
// Tree: its entropy
// Parameters: $tree STRING (name of a tree)
// Rows: entropy FLOAT (bits: the sum of cut / whole · log2(volume of the parent / volume) over all nodes with a cut);
//   of_communities, of_leaves FLOAT (their shares); communities, leaves INTEGER; one row, or none if there is no tree.
//   Needs the index of a system with trees
MATCH (corpus:Corpus:{{corpus}})
MATCH (root:{{corpus}}_TreeNode)
WHERE root.tree = $tree AND root.generation = corpus['generation_' + root.derived] AND root.level = 0
MATCH (t:{{corpus}}_TreeNode)
WHERE t.tree = root.tree AND t.generation = root.generation AND t.level > 0
MATCH (t)-[:CHILD_OF]->(parent:{{corpus}}_TreeNode)
WITH t.vector IS NULL AS is_leaf,
  CASE WHEN t.cut > 0 THEN t.cut / root.volume * log(parent.volume / t.volume) / log(2) ELSE 0.0 END AS term
WITH count(CASE WHEN is_leaf THEN 1 END) AS leaves, count(CASE WHEN NOT is_leaf THEN 1 END) AS communities,
  sum(CASE WHEN is_leaf THEN term ELSE 0.0 END) AS of_leaves,
  sum(CASE WHEN is_leaf THEN 0.0 ELSE term END) AS of_communities
WHERE leaves > 0
RETURN of_communities + of_leaves AS entropy, of_communities, of_leaves, communities, leaves LIMIT 1
