// -- browser/examples
// Find example values for the saved queries: two specific names with 2 to 40 passages each that are not directly
// related, a long document whose first passage states a fact, a tree with its largest community, and a metadata key.
// People, places and organisations are preferred, then technical names; headings and words like "License" come last.
// Parameters: $general LIST<STRING> (unspecific names, in lower case); $heading STRING (regular expression: names that
//   begin with a heading number or have no letter)
// Rows: name, other, type, document, tree, community, key STRING, null if the corpus has no such value; one row
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
CALL (chunks) {
  MATCH (e:Entity:{{corpus}}) WHERE EXISTS { (e)-[:RELATED]-(:Entity:{{corpus}}) }
  WITH chunks, e, CASE
    WHEN toLower(e.name) IN $general OR e.name =~ $heading OR size(e.name) > 40 THEN 4
    WHEN NOT 2 <= e.df <= 40 THEN 3
    WHEN e.type IN ['PERSON', 'GPE', 'ORG'] THEN 0
    WHEN e.type IN ['CODE', 'OPTION', 'COMMAND', 'PACKAGE', 'TERM'] THEN 1
    ELSE 2
  END AS rank
  ORDER BY rank, COUNT { (e)-[:RELATED]-() } DESC, e.df DESC, e.name LIMIT 100
  MATCH (e)-[:RELATED*1..2]-(o:Entity:{{corpus}}) WHERE o <> e
  WITH DISTINCT chunks, e, rank, o
  WITH chunks, e, rank, o, EXISTS { (e)-[:RELATED]-(o) } AS near,
    o.type = '' OR o.df > 40 OR toLower(o.name) IN $general OR o.name =~ $heading
      OR toLower(o.name) CONTAINS toLower(e.name) OR toLower(e.name) CONTAINS toLower(o.name) AS other_says_little,
    COUNT {
      (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(:{{corpus}}_Chunk)-[n:MENTIONS WHERE n.by <> 'dictionary']->(o)
    } AS together
  ORDER BY together = 0, rank, other_says_little, near,
    together * COUNT { (e)-[:RELATED]-() }
      * (log(1.0 + 1.0 * chunks / (1 + e.df)) * log(1.0 + 1.0 * chunks / (1 + o.df))) ^ 2 DESC, e.name, o.name
  LIMIT 1
  RETURN collect(e)[0] AS e, collect(o)[0] AS o
}
CALL () {
  MATCH (d:{{corpus}}_Document) WHERE d.title <> ''
  WITH d ORDER BY d.chunks > 50, d.chunks DESC, d.title LIMIT 100
  WITH d, EXISTS { (d)<-[:PART_OF]-(:{{corpus}}_Chunk {seq: 0})<-[:STATED_IN]-(:Fact:{{corpus}}) } AS states
  ORDER BY NOT states, d.chunks DESC, d.title LIMIT 1
  RETURN collect(d)[0] AS d
}
CALL () {
  MATCH (corpus:Corpus:{{corpus}})
  MATCH (root:{{corpus}}_TreeNode) WHERE root.generation = corpus['generation_' + root.derived] AND root.level = 0
  WITH root ORDER BY root.tree LIMIT 1
  CALL (root) {
    MATCH (t)-[:CHILD_OF]->(root) WHERE t.vector IS NOT NULL
    WITH t ORDER BY t.size DESC, t.id LIMIT 1
    RETURN collect(left(t.id, 8))[0] AS community
  }
  RETURN collect({name: root.tree, community: community})[0] AS tree
}
CALL () {
  MATCH (k:{{corpus}}_MetadataKey)
  WITH k ORDER BY COUNT { (k)<-[:OF_KEY]-() } IN [1, k.documents], k.documents DESC, k.key LIMIT 1
  RETURN collect(k.key)[0] AS key
}
RETURN e.name AS name, o.name AS other, e.type AS type, d.title AS document, tree.name AS tree,
  tree.community AS community, key
