// What is stored of some documents.
// Parameters: $ids LIST<STRING>
// Rows: id, source, sha256 STRING; links_sha256 STRING or null; chunks INTEGER (how many it has); none for those
//   that are not stored
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:{{corpus}}_Document
RETURN d.id AS id, d.source AS source, d.sha256 AS sha256, d.links_sha256 AS links_sha256,
  d.chunks AS chunks
