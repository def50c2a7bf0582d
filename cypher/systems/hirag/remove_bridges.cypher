// Deletes the bridges between the communities of a generation.
// Parameters: $generation INTEGER
// Rows: none
MATCH (t:{{corpus}}_HiragCommunity)-[bridge:BRIDGE]->(:{{corpus}}_HiragCommunity) WHERE t.generation = $generation
DELETE bridge
