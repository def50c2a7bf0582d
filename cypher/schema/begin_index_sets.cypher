// The sets of full-text indexes that are to be looked at: those that somebody began to create or gave back, or else new
// ones, as many as there are, within limits.
// Parameters: $least, $most INTEGER (new ones)
// Rows: number INTEGER; ordered
MATCH (meta:Overstory {id: 'meta'})
SET meta.index_sets = coalesce(meta.index_sets, 0) // locks: one process at a time counts them
WITH meta, meta.index_sets AS sets, COUNT { (begun:Overstory:IndexSet) WHERE NOT begun.ready } AS begun
WITH meta, sets, CASE
  WHEN begun > 0 THEN 0
  WHEN sets < $least THEN $least
  WHEN sets > $most THEN $most
  ELSE sets
END AS new
SET meta.index_sets = sets + new
FOREACH (number IN range(sets + 1, sets + new) |
  CREATE (:Overstory:IndexSet {id: 'index-set-' + number, number: number, ready: false})
)
WITH DISTINCT 1 AS one
MATCH (indexes:Overstory:IndexSet) WHERE NOT indexes.ready
RETURN indexes.number AS number ORDER BY number
