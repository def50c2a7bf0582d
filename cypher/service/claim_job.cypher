// Takes the first job in the queue that may begin: of a corpus with no job that runs. One that a process died over runs
// alone in its process, so that no other job dies with it.
// Parameters: $queue, $token, $host, $place STRING; $pid, $seconds, $most_attempts, $most_deaths INTEGER; $started FLOAT
// Rows: job MAP (the properties, and lapsed BOOLEAN: nobody keeps it); one, or none if there is nothing to do
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.looked = datetime() // one process at a time looks
WITH queue
MATCH (job:Overstory:Job) WHERE job.state IN ['queued', 'running']
WITH collect(job) AS all
WITH all, [each IN all WHERE each.state = 'running'] AS running
UNWIND all AS job
WITH job, running
WHERE job.state = 'queued' AND NOT job.corpus_name IN [each IN running | each.corpus_name] AND job.place IN ['', $place]
  AND job.attempts < $most_attempts AND coalesce(job.deaths, 0) < $most_deaths
  AND (job.not_before IS NULL OR job.not_before <= datetime())
WITH job, [each IN running WHERE each.host = $host AND each.pid = $pid] AS here
  ORDER BY coalesce(job.turn, job.number) LIMIT 1
WITH job, here
WHERE size(here) = 0 OR (job.deaths IS NULL AND all(each IN here WHERE each.deaths IS NULL))
SET job.state = 'running', job.token = $token, job.host = $host, job.pid = $pid, job.process_started = $started,
  job.until = datetime() + duration({seconds: $seconds}), job.attempts = job.attempts + 1,
  job.started = coalesce(job.started, datetime()), job.waits = null, job.file = null, job.task = null
RETURN job {.*, lapsed: job.until < datetime()} AS job
