// The next page of chunks, with what they are about, and the names that some kinds of mentions found in them.
// Parameters: $kinds LIST<STRING>; $after STRING (the last id of the page before, or ""); $limit INTEGER
// Rows: id STRING; about LIST<LIST> (key of an entity, weight, source, whether by its full name, surface, type ("" where
//   none is stored), whether as a common word); original STRING or null (JSON: what it is about by itself, where names
//   were edited by hand); parsed LIST<LIST> (key of an entity, types); ordered by id
MATCH (c:Overstory {corpus: $corpus})
USING INDEX SEEK c:Overstory(corpus, id, token_count)
WHERE c.id > $after AND c.token_count IS NOT NULL
WITH c ORDER BY c.corpus, c.id LIMIT $limit
RETURN c.id AS id,
  [(c)<-[a:ABOUT]-(e:Overstory:Entity) | [
    e.key, a.weight, coalesce(a.source, ''), coalesce(a.full, false), coalesce(a.surface, ''), coalesce(a.type, ''),
    coalesce(a.common, false)
  ]] AS about,
  head([(c)<-[:OF]-(o:Overstory:OriginalNames {by: 'about'}) | o.found]) AS original,
  [(c)-[m:MENTIONS]->(e:Overstory:Entity) WHERE m.by IN $kinds | [e.key, m.types]] AS parsed
ORDER BY c.corpus, id
