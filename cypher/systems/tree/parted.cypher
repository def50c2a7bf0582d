// The communities of a tree that lost leaves with their units.
// Parameters: $tree STRING; $generation INTEGER
// Rows: id STRING
MATCH (t:{{corpus}}_Parted) WHERE t.tree = $tree AND t.generation = $generation
RETURN t.id AS id
