// Deletes the bridges that lead through entities which are no more. There are at most some thousand.
// Parameters: $generation INTEGER; $refs LIST<STRING>
// Rows: none
MATCH (t:{{corpus}}_HiragCommunity)-[bridge:BRIDGE]->(:{{corpus}}_HiragCommunity)
WHERE t.generation = $generation AND any(ref IN bridge.refs WHERE ref IN $refs)
DELETE bridge
