// How fast a stage was lately, in all corpora of the database: its last runs that were long enough to measure.
// Parameters: $name, $fingerprint STRING; $limit INTEGER
// Rows: units INTEGER, seconds FLOAT; the latest first
MATCH (corpus:Overstory:Corpus)<-[:OF]-(stage:Stage:Overstory)
WHERE stage.name = $name AND stage.measured_by = $fingerprint
RETURN stage.measured_units AS units, stage.measured_seconds AS seconds ORDER BY stage.measured DESC LIMIT $limit
