// Recomputes the IDF weight of each entity: ln(1 + N/(1 + df)) / ln(1 + N), N the number of chunks; commits as it goes.
// Parameters: $chunks INTEGER (at least 1)
// Rows: none
MATCH (e:Entity:{{corpus}})
CALL (e) {
  SET e.specificity = round(log(1.0 + toFloat($chunks) / (1 + e.df)) / log(1.0 + $chunks), 12)
} IN TRANSACTIONS OF 10000 ROWS
