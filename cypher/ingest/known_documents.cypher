// What is stored of some documents.
// Parameters: $ids LIST<STRING>
// Rows: id, source, sha256 STRING; links_sha256 STRING or null; chunks INTEGER (how many it has); names LIST<STRING>,
//   values LIST (of the metadata that say something of its file); none for those that are not stored
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus
WITH d, coalesce(d.file_metadata, []) AS names
RETURN d.id AS id, d.source AS source, d.sha256 AS sha256, d.links_sha256 AS links_sha256,
  d.chunks AS chunks, names, [name IN names | d['metadata_' + name]] AS values
