// The names that most passages mention.
// Parameters: $type STRING ('' for all); $prefix STRING (of keys; '' for all); $others LIST<STRING> (keys that count as
//   well); $by_kind BOOLEAN (people, organisations, places, works and terms of which facts are known come first, then
//   others of these kinds, those of no kind, and numbers); $limit INTEGER
// Rows: key, name, type STRING; aliases LIST<STRING>; passages INTEGER; the most frequent first
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND (e.key STARTS WITH $prefix OR e.key IN $others)
WITH e, CASE WHEN e.dictionary_df > e.df THEN e.dictionary_df ELSE coalesce(e.df, 0) END AS passages,
  CASE
    WHEN NOT $by_kind THEN 0
    WHEN e:PersonName|OrganisationName|PlaceName|WorkName|TechnicalName THEN
      CASE WHEN EXISTS { (e)-[:RELATED]-(:{{corpus}}) } THEN 0 ELSE 1 END
    WHEN left(e.key, 1) IN ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'] THEN 3
    ELSE 2
  END AS kind
ORDER BY kind, passages DESC, e.name, e.key LIMIT $limit
RETURN e.key AS key, e.name AS name, coalesce(e.type, '') AS type, coalesce(e.aliases, []) AS aliases, passages
