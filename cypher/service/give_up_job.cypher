// Fails a job that waits.
// Parameters: $id STRING; $problem, $loaded STRING (JSON)
// Rows: none
MATCH (job:Overstory:Job {id: $id}) WHERE job.state = 'queued'
SET job.state = 'failed', job.problem = $problem, job.ended = datetime(), job.loaded = $loaded
REMOVE job.waits, job.deaths, job.turn
