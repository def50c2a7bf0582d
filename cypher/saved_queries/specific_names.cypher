// Names: those that tie a few documents together
// Parameters: $type STRING (PERSON, ORG, GPE, …; '' for all types)
// Rows: name, type STRING; documents INTEGER (2 to 5), titles LIST<STRING>, specificity FLOAT; most specific first
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type] AND e.df >= 2
WITH e ORDER BY e.df, e.name LIMIT 1000
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(:{{corpus}}_Chunk)-[:PART_OF]->(d:{{corpus}}_Document)
WITH e, collect(DISTINCT d.title) AS titles WHERE 2 <= size(titles) <= 5
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
RETURN e.name AS name, e.type AS type, size(titles) AS documents, titles,
  round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 3) AS specificity
ORDER BY specificity DESC, name LIMIT 50
