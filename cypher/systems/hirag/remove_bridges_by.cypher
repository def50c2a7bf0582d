// Deletes the bridges that lead through entities which are no more. There are at most some thousand.
// Parameters: $generation INTEGER; $ids LIST<STRING> (of entities)
// Rows: none
MATCH (t:{{corpus}}_HiragCommunity)-[bridge:BRIDGE]->(:{{corpus}}_HiragCommunity)
WHERE t.generation = $generation AND any(id IN bridge.entities WHERE id IN $ids)
DELETE bridge
