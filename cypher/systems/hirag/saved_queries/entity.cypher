// Name: what HiRAG knows of it, and the summaries above it
// Parameters: $name STRING (as texts write it; upper and lower case are one)
// Rows: path PATH; a picture of what is said of the name with the passages it stands on, of the 12 strongest relations of
//   its layer, and of the summaries above it. Needs overstory index --system hirag
MATCH (corpus:Corpus:{{corpus}})
MATCH (e:{{corpus}}_HiragEntity)
WHERE e.generation = corpus.generation_hirag AND toLower($name) IN [toLower(e.name), e.key]
WITH e ORDER BY e.layer LIMIT 1
CALL (e) {
  MATCH path = (e)-[:HAS_DESCRIPTION]->(:{{corpus}}_HiragDescription)-[:STANDS_ON]->(:{{corpus}}_Chunk)
  RETURN path LIMIT 8
  UNION ALL
  MATCH path = (e)-[r:HIRAG_RELATED]-(o:{{corpus}}_HiragEntity)
  RETURN path ORDER BY r.weight DESC, o.ref LIMIT 12
  UNION ALL
  MATCH path = (e)-[:SUMMARIZED_BY*1..8]->(:{{corpus}}_HiragEntity)
  RETURN path ORDER BY length(path) LIMIT 8
}
RETURN path
