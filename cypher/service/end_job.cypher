// Ends a job.
// Parameters: $id, $token, $state STRING; $result STRING (JSON) or null; $problem STRING (JSON) or null; $loaded STRING
//   (JSON)
// Rows: id STRING; one, or none if another process has it
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.state = $state, job.result = $result, job.problem = $problem, job.ended = datetime(), job.loaded = $loaded
REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left, job.waits, job.deaths,
  job.turn
RETURN job.id AS id
