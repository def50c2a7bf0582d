// Fails jobs whose processes were gone too often.
// Parameters: $most_attempts INTEGER; $problem STRING (JSON); $abandoned LIST<STRING> (tokens, as for claim_job)
// Rows: failed INTEGER
MATCH (job:Overstory:Job) WHERE job.attempts >= $most_attempts
  AND (job.state = 'queued' OR job.state = 'running' AND (job.until < datetime() OR job.token IN $abandoned))
SET job.state = 'failed', job.problem = $problem, job.ended = datetime()
REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left, job.waits
RETURN count(*) AS failed
