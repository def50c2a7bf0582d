// Takes the oldest job that may begin: one that waits, or whose process is gone, of a corpus with no job that runs.
// Parameters: $queue, $token, $host, $place STRING; $pid, $seconds, $most_attempts INTEGER; $started FLOAT;
//   $abandoned LIST<STRING> (tokens of jobs whose processes are known to be gone)
// Rows: job MAP (the properties); one, or none if there is nothing to do
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.looked = datetime() // one process at a time looks
WITH queue
MATCH (job:Overstory:Job) WHERE job.state IN ['queued', 'running']
WITH job, job.state = 'running' AND job.until >= datetime() AND NOT job.token IN $abandoned AS runs
WITH collect({job: job, runs: runs}) AS all
WITH all, [each IN all WHERE each.runs | each.job.corpus_name] AS busy
UNWIND all AS each
WITH each.job AS job, each.runs AS runs, busy
WHERE NOT runs AND NOT job.corpus_name IN busy AND job.place IN ['', $place] AND job.attempts < $most_attempts
  AND (job.not_before IS NULL OR job.not_before <= datetime())
WITH job ORDER BY job.number LIMIT 1
SET job.state = 'running', job.token = $token, job.host = $host, job.pid = $pid, job.process_started = $started,
  job.until = datetime() + duration({seconds: $seconds}), job.attempts = job.attempts + 1,
  job.started = coalesce(job.started, datetime()), job.waits = null
RETURN properties(job) AS job
