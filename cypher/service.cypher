// -- service/add_job
// Queue a job of the service. The queue is locked, so that job numbers rise with time.
// Parameters: $id, $queue, $corpus, $kind, $by, $input, $place STRING (place of the files it needs, or "")
// Rows: job MAP (properties, and lapsed BOOLEAN: no process holds it)
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.number = coalesce(queue.number, 0) + 1
CREATE (job:Overstory:Job {id: $id, number: queue.number, corpus_name: $corpus, kind: $kind, by: $by, input: $input,
  place: $place, state: 'queued', created: datetime(), attempts: 0})
RETURN job {.*, lapsed: job.until < datetime()} AS job

// -- service/cancel_job
// Cancel a job: a waiting job at once, a running job as soon as its process notices.
// Parameters: $id STRING
// Rows: job MAP (properties, and lapsed BOOLEAN: no process holds it); one row, or none if there is no such job
MATCH (job:Overstory:Job {id: $id})
FOREACH (_ IN CASE WHEN job.state = 'queued' THEN [1] ELSE [] END |
  SET job.state = 'cancelled', job.ended = datetime(), job.waits = null)
FOREACH (_ IN CASE WHEN job.state = 'running' THEN [1] ELSE [] END | SET job.cancel = true)
RETURN job {.*, lapsed: job.until < datetime()} AS job

// -- service/claim_job
// Take the first job of the queue whose corpus has no running job. A job whose process was killed runs alone in its
// process, so that no other job dies with it.
// Parameters: $queue, $token, $host, $place STRING; $pid, $seconds, $most_attempts, $most_deaths INTEGER; $started FLOAT
// Rows: job MAP (properties, and lapsed BOOLEAN: no process holds it); one row, or none if there is no job to do
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.looked = datetime() // lock: one process at a time reads the queue
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

// -- service/end_job
// End a job.
// Parameters: $id, $token, $state STRING; $result STRING (JSON) or null; $problem STRING (JSON) or null; $loaded STRING
//   (JSON)
// Rows: id STRING; one row, or none if another process has the job
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.state = $state, job.result = $result, job.problem = $problem, job.ended = datetime(), job.loaded = $loaded
REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left, job.waits, job.deaths,
  job.turn
RETURN job.id AS id

// -- service/forget_jobs
// Delete the oldest finished jobs beyond a number to keep.
// Parameters: $keep INTEGER
// Rows: deleted INTEGER
MATCH (job:Overstory:Job) WHERE job.state IN ['done', 'failed', 'cancelled']
WITH job ORDER BY job.number DESC SKIP $keep
DETACH DELETE job
RETURN count(*) AS deleted

// -- service/give_up_job
// Fail a waiting job.
// Parameters: $id STRING; $problem, $loaded STRING (JSON)
// Rows: none
MATCH (job:Overstory:Job {id: $id}) WHERE job.state = 'queued'
SET job.state = 'failed', job.problem = $problem, job.ended = datetime(), job.loaded = $loaded
REMOVE job.waits, job.deaths, job.turn

// -- service/job
// Read a job.
// Parameters: $id STRING
// Rows: job MAP (properties, and lapsed BOOLEAN: no process holds it); one row, or none
MATCH (job:Overstory:Job {id: $id}) RETURN job {.*, lapsed: job.until < datetime()} AS job

// -- service/jobs
// List jobs, latest first.
// Parameters: $corpora LIST<STRING> or null (all); $states LIST<STRING>; $before INTEGER (only lower job numbers);
//   $limit INTEGER
// Rows: job MAP (properties, and lapsed BOOLEAN: no process holds it)
MATCH (job:Overstory:Job)
WHERE job.number < $before AND job.state IN $states AND ($corpora IS NULL OR job.corpus_name IN $corpora)
RETURN job {.*, lapsed: job.until < datetime()} AS job ORDER BY job.number DESC LIMIT $limit

// -- service/noted_load
// Read the counts that a job has loaded, as its corpus records them while documents are written.
// Parameters: $id STRING (of the corpus); $job STRING
// Rows: loaded STRING (JSON); one row, or none if another job has loaded since
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.loaded_by = $job
RETURN corpus.loaded AS loaded

// -- service/renew_job
// Keep a job, and record its progress.
// Parameters: $id, $token, $task, $unit STRING; $done INTEGER; $total INTEGER or null; $seconds INTEGER; $seconds_left
//   FLOAT or null; $loaded STRING (JSON); $file STRING (last file read, or "")
// Rows: cancel BOOLEAN (the job was cancelled); one row, or none if another process has the job
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.until = datetime() + duration({seconds: $seconds}), job.task = $task, job.done = $done, job.total = $total,
  job.unit = $unit, job.seconds_left = $seconds_left, job.loaded = $loaded,
  job.file = $file
RETURN coalesce(job.cancel, false) AS cancel

// -- service/requeue_job
// Return a job to the queue, to be resumed.
// Parameters: $id, $token, $waits STRING (reason, in words); $seconds, $attempts INTEGER (1 if this attempt counts,
//   otherwise 0); $loaded STRING (JSON)
// Rows: id STRING; one row, or none if another process has the job
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.state = 'queued', job.not_before = datetime() + duration({seconds: $seconds}), job.waits = $waits,
  job.attempts = job.attempts - 1 + $attempts, job.loaded = $loaded
REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left
RETURN job.id AS id

// -- service/requeue_lost_jobs
// Return jobs to the queue whose processes are gone or silent. A job whose process was killed goes to the end of the
// queue, and the death is counted.
// Parameters: $queue STRING; $abandoned LIST<STRING> (tokens of jobs whose processes are gone); $most_attempts,
//   $most_deaths INTEGER
// Rows: id STRING; deaths INTEGER; file STRING or null (last file read); one row per job to give up
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.looked = datetime() // lock: one process at a time reads the queue
WITH queue
OPTIONAL MATCH (job:Overstory:Job)
WHERE job.state = 'running' AND (job.until < datetime() OR job.token IN $abandoned)
WITH queue, job ORDER BY job.number
WITH queue, collect(job) AS lost
SET queue.number = coalesce(queue.number, 0) + size(lost)
FOREACH (place IN range(0, size(lost) - 1) |
  FOREACH (job IN [lost[place]] |
    FOREACH (_ IN CASE WHEN job.token IN $abandoned THEN [1] ELSE [] END |
      SET job.deaths = coalesce(job.deaths, 0) + 1, job.turn = queue.number - size(lost) + 1 + place)
    SET job.state = 'queued'
    REMOVE job.token, job.host, job.pid, job.process_started, job.until, job.seconds_left))
WITH count(*) AS done
MATCH (job:Overstory:Job)
WHERE job.state = 'queued' AND (job.attempts >= $most_attempts OR job.deaths >= $most_deaths)
RETURN job.id AS id, coalesce(job.deaths, 0) AS deaths, job.file AS file

// -- service/running_jobs
// List the processes that work on jobs.
// Parameters: none
// Rows: token, host STRING; pid INTEGER; started FLOAT
MATCH (job:Overstory:Job) WHERE job.state = 'running'
RETURN job.token AS token, job.host AS host, job.pid AS pid, job.process_started AS started
