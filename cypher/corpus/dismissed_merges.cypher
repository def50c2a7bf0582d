// The pairs of names that are not one, the latest first.
// Parameters: none
// Rows: first, second (keys), name, into STRING; at DATETIME
MATCH (dismissed:DismissedMerge:{{corpus}})
RETURN dismissed.first AS first, dismissed.second AS second, dismissed.name AS name, dismissed.into AS into,
  dismissed.at AS at ORDER BY at DESC, first, second
