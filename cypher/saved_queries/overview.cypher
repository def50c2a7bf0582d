// Corpus: its nodes and relationships by kind
// Parameters: none
// Rows: what STRING (node or relationship), kind STRING (its label or type), number INTEGER; most first
CALL () {
  MATCH (n:{{corpus}})
  WITH [label IN labels(n) WHERE NOT label STARTS WITH 'Corpus_' AND NOT label IN
    ['Overstory', 'PersonName', 'OrganisationName', 'PlaceName', 'WorkName', 'TechnicalName']] AS kinds
  RETURN 'node' AS what, kinds[0] AS kind, count(*) AS number
  UNION ALL
  MATCH (:{{corpus}})-[r]->(:Overstory)
  RETURN 'relationship' AS what, type(r) AS kind, count(*) AS number
}
RETURN what, kind, number ORDER BY what, number DESC, kind LIMIT 50
