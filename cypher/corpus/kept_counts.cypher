// How much of what a corpus has, and how much the stages have to do. From the counts that the server keeps.
// Parameters: none
// Rows: documents, chunks, vectors, entities INTEGER; links (between stored documents), unresolved (links to others)
//   INTEGER; unembedded, unread (chunks), stale (entities and facts to link), renamed (chunks in which names are to be
//   edited) INTEGER; changed (chunks and entities, since names were looked for) INTEGER;
//   boilerplate_only, boilerplate (chunks), boilerplate_stale (folders and documents to look at) INTEGER; one
WITH COUNT { (:{{corpus}}_Document)-[:LINKS]->() } AS every_link,
  COUNT { (:{{corpus}}_MissingDocument)<-[:LINKS]-() } AS unresolved
RETURN COUNT { (:{{corpus}}_Document) } AS documents,
  COUNT { (:{{corpus}}_Chunk) } AS chunks,
  COUNT { (:{{corpus}}_PassageVector) } AS vectors,
  COUNT { (:{{corpus}}_Entity) } AS entities,
  every_link - unresolved AS links,
  unresolved,
  COUNT { (:{{corpus}}_Unembedded) } AS unembedded,
  COUNT { (:{{corpus}}_Unread) } AS unread,
  COUNT { (:{{corpus}}_Stale) } AS stale,
  COUNT { (:{{corpus}}_Renamed) } AS renamed,
  COUNT { (:{{corpus}}_Changed) } AS changed,
  COUNT { (:{{corpus}}_BoilerplateOnly) } AS boilerplate_only,
  COUNT { (:{{corpus}}_Boilerplate) } AS boilerplate,
  COUNT { (:{{corpus}}_BoilerplateStale) } AS boilerplate_stale
