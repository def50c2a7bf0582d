// -- systems/serag/saved_queries/linked_passages
// Two documents: why their passages are linked
// Parameters: $document, $other_document STRING (title, id or source of a document; may be the same)
// Rows: passage, other_passage STRING (position in the document, and the first words); weight FLOAT (of LINKED);
//   similar, shared, near FLOAT (its terms: cosine, share of common entities, proximity in one document; weight is .45
//   similar + .45 shared + .1 near); names LIST<STRING> (common entities, with their frequencies); together
//   LIST<STRING> (short ids of the communities that contain both, largest first, without the root); strongest first.
//   Needs overstory index --system serag
MATCH (corpus:Corpus:{{corpus}})
MATCH (d:{{corpus}}_Document) WHERE $document IN [d.title, d.id, d.source]
WITH corpus, d ORDER BY d.id LIMIT 1
MATCH (e:{{corpus}}_Document) WHERE $other_document IN [e.title, e.id, e.source]
WITH corpus, d, e ORDER BY e.id LIMIT 1
MATCH (d)<-[:PART_OF]-(a:{{corpus}}_Chunk)-[l:LINKED]-(b:{{corpus}}_Chunk)-[:PART_OF]->(e)
WHERE l.weight IS NOT NULL AND (d <> e OR a.seq < b.seq)
WITH corpus, a, l, b ORDER BY l.weight DESC, a.seq, b.seq LIMIT 25
RETURN a.seq + ' · ' + substring(a.text, 0, 60) AS passage, b.seq + ' · ' + substring(b.text, 0, 60) AS other_passage,
  round(l.weight, 4) AS weight, round(l.similar, 4) AS similar, round(l.shared, 4) AS shared, round(l.near, 4) AS near,
  COLLECT {
    MATCH (a)-[m:MENTIONS]->(n:Entity:{{corpus}})<-[o:MENTIONS]-(b) WHERE m.by IN ['ner', 'openie'] AND o.by IN ['ner', 'openie']
    WITH n, max(m.count) AS here, max(o.count) AS there
    RETURN n.name + ' (' + here + ' and ' + there + ')' ORDER BY n.df, n.name LIMIT 25
  } AS names,
  COLLECT {
    MATCH (a)<-[:COVERS]-(leaf:{{corpus}}_TreeNode)-[:CHILD_OF*1..10]->(t)
    WHERE leaf.tree = 'serag' AND leaf.generation = corpus.generation_serag AND t.level > 0
      AND EXISTS { (b)<-[:COVERS]-()-[:CHILD_OF*1..10]->(t) }
    RETURN left(t.id, 8) ORDER BY t.level
  } AS together
ORDER BY weight DESC, passage, other_passage
