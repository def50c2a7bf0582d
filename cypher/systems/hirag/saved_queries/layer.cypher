// Layer: its summaries, and what each summarises
// Parameters: $layer STRING (its number, 1 is the lowest)
// Rows: summarised PATH (from an entity of the layer below to its summary); a picture of the 12 summaries with most
//   members, each with the 8 that are tied to it most strongly. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (x:{{corpus}}_HiragEntity)
WHERE x.generation = corpus.generation_hirag AND x.layer = toInteger($layer) AND x.layer > 0
WITH x ORDER BY COUNT { (x)<-[:SUMMARIZED_BY]-() } DESC, x.ref LIMIT 12
CALL (x) {
  MATCH summarised = (m:{{corpus}}_HiragEntity)-[s:SUMMARIZED_BY]->(x)
  RETURN summarised ORDER BY s.weight DESC, m.ref LIMIT 8
}
RETURN summarised
