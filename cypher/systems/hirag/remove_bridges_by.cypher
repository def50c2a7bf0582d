// Deletes the bridges that lead through entities which are no more. Looks at all bridges, which are at most some thousand
// in however large a graph (`bridges.MOST_BRIDGED_COMMUNITIES`).
// Parameters: $generation INTEGER; $ids LIST<STRING> (of entities)
// Rows: none
MATCH (t:{{corpus}}_HiragBridged)-[bridge:BRIDGE]->(:{{corpus}}_HiragCommunity)
WHERE t.generation = $generation AND any(id IN bridge.entities WHERE id IN $ids)
DELETE bridge
