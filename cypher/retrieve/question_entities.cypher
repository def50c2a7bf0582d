// The entities that have one of some ids, and whether the name index is up to date.
// Parameters: $ids LIST<STRING> (of entities); $dictionary BOOLEAN (only those that the name dictionary has)
// Rows: changed INTEGER (nodes that the mentions stage has to look at); entities LIST<LIST> (id, key, name; chunks in which
//   the dictionary finds it, 0 if the dictionary lacks it; whether a chunk is about it); one
CALL () { MATCH (n:{{corpus}}_Changed) RETURN count(n) AS changed }
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity:{{corpus}} AND (e.dictionary_df IS NOT NULL OR NOT $dictionary)
  RETURN collect([e.id, e.key, e.name, coalesce(e.dictionary_df, 0), coalesce(e.subject, false)]) AS entities
}
RETURN changed, entities
