// Gives chunks the sentences, mentions and statements of others with the same title, heading and text: those of the
// extractor to chunks that it has not read, those of annotations to chunks that have none. The dictionary's mentions are
// found again by the mentions stage. What was found before names were edited by hand goes along.
// Parameters: $annotated STRING (by whom annotations are); $rows LIST<MAP {old, new STRING}> (ids of chunks with equal
//   texts)
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (old:Overstory {id: row.old})
MATCH (new:Overstory {id: row.new})
WHERE new:Chunk AND new.corpus = $corpus AND new.title = old.title AND new.heading = old.heading
WITH corpus, old, new, new.extracted IS NULL AS unread,
  EXISTS { (new)-[:MENTIONS {by: $annotated}]->(:Overstory:Entity) }
    OR EXISTS { (new)<-[:STATED_IN {by: $annotated}]-(:Overstory:Fact) }
    OR EXISTS { (new)<-[:OF]-(:Overstory:OriginalNames {by: $annotated}) } AS annotated
SET new.extracted = coalesce(new.extracted, old.extracted), new.sentences = coalesce(new.sentences, old.sentences),
  new.touched = corpus.version + 1, new:$($corpus + '_Changed')
FOREACH (_ IN CASE WHEN new.extracted IS NULL THEN [] ELSE [1] END | REMOVE new:$($corpus + '_Unread'))
WITH old, new, unread, annotated
CALL (old, new, unread, annotated) {
  MATCH (old)-[m:MENTIONS]->(entity:Overstory:Entity)
  WHERE m.by <> 'dictionary' AND CASE WHEN m.by = $annotated THEN NOT annotated ELSE unread END
  CREATE (new)-[copy:MENTIONS]->(entity)
  SET copy = properties(m), entity:$($corpus + '_Stale'):$($corpus + '_Changed')
}
CALL (old, new, unread, annotated) {
  MATCH (old)<-[:OF]-(o:Overstory:OriginalNames)
  WHERE o.by <> 'about' AND CASE WHEN o.by = $annotated THEN NOT annotated ELSE unread END
  MERGE (copy:Overstory {id: new.id + ' ' + o.by})
  SET copy:OriginalNames:$($corpus):$($corpus + '_OriginalNames'):OfChunk, copy.corpus = o.corpus, copy.by = o.by,
    copy.keys = o.keys, copy.found = o.found
  MERGE (copy)-[:OF]->(new)
}
CALL (old, new) {
  WITH old, new WHERE $corpus + '_Renamed' IN labels(old)
  SET new:$($corpus + '_Renamed')
}
CALL (old, new, unread, annotated) {
  MATCH (old)<-[s:STATED_IN]-(fact:Overstory:Fact)
  WHERE CASE WHEN s.by = $annotated THEN NOT annotated ELSE unread END
  CREATE (new)<-[copy:STATED_IN]-(fact)
  SET copy = properties(s), fact:$($corpus + '_Stale')
}
