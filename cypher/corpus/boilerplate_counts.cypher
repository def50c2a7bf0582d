// How many chunks hold boilerplate and nothing else, how many hold some, and how much is to be looked at.
// Parameters: none
// Rows: only, some, stale INTEGER; one
CALL () { MATCH (c:{{corpus}}_BoilerplateOnly) RETURN count(c) AS only }
CALL () { MATCH (c:{{corpus}}_Boilerplate) RETURN count(c) AS held }
CALL () { MATCH (n:{{corpus}}_BoilerplateStale) RETURN count(n) AS stale }
RETURN only, held - only AS some, stale
