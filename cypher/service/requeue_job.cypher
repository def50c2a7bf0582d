// Gives a job back to the queue, to be gone on with.
// Parameters: $id, $token, $waits STRING (what for, in words); $seconds, $attempts INTEGER (attempts: what this one
//   counts as, 1 or 0); $loaded STRING (JSON)
// Rows: id STRING; one, or none if another process has it
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.state = 'queued', job.not_before = datetime() + duration({seconds: $seconds}), job.waits = $waits,
  job.attempts = job.attempts - 1 + $attempts, job.loaded = $loaded
REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left
RETURN job.id AS id
