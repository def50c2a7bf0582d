// Which of some names the dictionary has, and whether all of its work is done.
// Parameters: $ids LIST<STRING> (of entities)
// Rows: changed INTEGER (nodes that the mentions stage has to look at); names LIST<LIST> (id, key, name; chunks in which the
//   dictionary finds it; whether a chunk is about it); one
CALL () { MATCH (n:{{corpus}}_Changed) RETURN count(n) AS changed }
CALL () {
  UNWIND $ids AS id
  MATCH (e:Overstory {id: id}) WHERE e:Entity:{{corpus}} AND e.dictionary_df IS NOT NULL
  RETURN collect([e.id, e.key, e.name, e.dictionary_df, coalesce(e.subject, false)]) AS names
}
RETURN changed, names
