// Name: the sentences that mention it
// Parameters: $name STRING (or an alias; upper and lower case are one)
// Rows: name, title, sentence STRING (the whole passage where the sentence is not known); passage INTEGER;
//   by STRING (who found the mention); by title, in reading order
MATCH (e:Entity:{{corpus}})
WHERE toLower($name) IN [way IN [e.name, e.key] + coalesce(e.aliases, []) | toLower(way)]
MATCH (e)<-[m:MENTIONS WHERE m.by <> 'dictionary']-(c:{{corpus}}_Chunk)
UNWIND CASE WHEN m.sentences = [] OR c.sentences IS NULL THEN [null] ELSE m.sentences END AS i
WITH DISTINCT e, m, c, i,
  coalesce(c.sentences[i], 0) AS start, coalesce(c.sentences[i + 1], size(c.text)) AS end
RETURN e.name AS name, c.title AS title, trim(substring(c.text, start, end - start)) AS sentence, c.seq AS passage,
  m.by AS by
ORDER BY title, passage, start LIMIT 100
