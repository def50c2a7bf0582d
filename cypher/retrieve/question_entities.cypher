// The entities that have one of some ids, and whether the name index is up to date.
// Parameters: $ids, $terms LIST<STRING> (of entities; the latter only if a chunk defines them or has them as heading);
//   $dictionary BOOLEAN (only those that the name dictionary has)
// Rows: changed INTEGER (nodes that the mentions stage has to look at); entities LIST<LIST> (id, key, name; chunks in which
//   the dictionary finds it, 0 if the dictionary lacks it; whether a chunk is about it; whether one defines it); one
OPTIONAL MATCH (corpus:Overstory {id: $corpus})
CALL () {
  UNWIND $ids + $terms AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus AND (e.dictionary_df IS NOT NULL OR NOT $dictionary)
  WITH DISTINCT e, e.subject AND EXISTS { (e)-[a:ABOUT]->(:Overstory:Chunk) WHERE a.source IN ['definition', 'heading'] } AS term
  WHERE term OR e.id IN $ids
  RETURN collect([e.id, e.key, e.name, coalesce(e.dictionary_df, 0), coalesce(e.subject, false), coalesce(term, false)])
    AS entities
}
RETURN coalesce(corpus.changed, 0) AS changed, entities
