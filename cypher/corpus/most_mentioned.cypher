// The names that most passages mention.
// Parameters: $type STRING ('' for all); $prefix STRING (of keys; '' for all); $others LIST<STRING> (keys that count as
//   well); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; the most frequent first
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages
ORDER BY passages DESC, e.name, e.key LIMIT $limit
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, coalesce(e.aliases, []) AS aliases, passages
