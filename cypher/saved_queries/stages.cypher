// Corpus: what was done to it, stage by stage
// Parameters: none
// Rows: stage, status STRING; started DATETIME; seconds FLOAT; tokens INTEGER; counts LIST<STRING>; the oldest first
MATCH (s:Stage:{{corpus}})
RETURN s.name AS stage, s.status AS status, s.started AS started, s.seconds AS seconds, s.tokens AS tokens,
  [key IN keys(s) WHERE key STARTS WITH 'count_' AND s[key] > 0 | s[key] + ' ' + substring(key, 6)] AS counts
ORDER BY started LIMIT 50
