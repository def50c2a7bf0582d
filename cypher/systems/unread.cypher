// The next units that an index has not read as they are now, for one that has read none before.
// Parameters: $mark STRING (the property of those that were read; null for all units); $after STRING (the last id of the
//   page before, or ""); $limit INTEGER
// Rows: id STRING; ordered
MATCH (n:{{label}}) WHERE n.id > $after AND coalesce(n[$mark], -1) < n.touched
RETURN n.id AS id ORDER BY id LIMIT $limit
