// The files of a corpus that could not be read when they were last looked at, or not all of them, by source.
// Parameters: none
// Rows: id, source, root, reason, remedy STRING; line INTEGER or NULL; faults INTEGER; since DATETIME
MATCH (f:{{corpus}}_FailedFile)
RETURN f.id AS id, f.source AS source, f.root AS root, f.reason AS reason, f.remedy AS remedy, f.line AS line,
  f.faults AS faults, f.since AS since
ORDER BY source
