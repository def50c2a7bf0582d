// All names that passages mention, to be compared with each other.
// Parameters: $aliases INTEGER (other spellings of a name)
// Rows: key, name, type STRING; passages INTEGER; aliases LIST<STRING>; in no order
MATCH (e:{{corpus}}_Entity)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages
WHERE passages > 0
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, passages,
  coalesce(e.aliases, [])[..$aliases] AS aliases
