// Layer: its summaries, and what each summarises
// Parameters: $layer STRING (its number, 1 is the lowest)
// Rows: summarised, above PATH (from an entity of the layer below to its summary; from there to the strongest summary above
//   it, null where there is none); a picture of the 6 summaries with most members, each with the 8 that are tied to it
//   most strongly. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (x:{{corpus}}_HiragEntity)
WHERE x.generation = corpus.generation_hirag AND x.layer = toInteger($layer) AND x.layer > 0
WITH x ORDER BY COUNT { (x)<-[:SUMMARIZED_BY]-() } DESC, x.ref LIMIT 6
CALL (x) {
  MATCH summarised = (m:{{corpus}}_HiragEntity)-[s:SUMMARIZED_BY]->(x)
  RETURN summarised ORDER BY s.weight DESC, m.ref LIMIT 8
}
CALL (x) {
  OPTIONAL MATCH above = (x)-[s:SUMMARIZED_BY]->(up:{{corpus}}_HiragEntity)
  RETURN above ORDER BY s.weight DESC, up.ref LIMIT 1
}
RETURN summarised, above
