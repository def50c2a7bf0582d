// How much the entities stage has to do.
// Parameters: none
// Rows: entities, facts, renamed (chunks whose names have to be edited) INTEGER; one
CALL () {
  MATCH (n:{{corpus}}_Stale)
  RETURN sum(CASE WHEN n:Entity THEN 1 ELSE 0 END) AS entities, sum(CASE WHEN n:Fact THEN 1 ELSE 0 END) AS facts
}
CALL () { MATCH (c:{{corpus}}_Renamed) RETURN count(c) AS renamed }
RETURN entities, facts, renamed
