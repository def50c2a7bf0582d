// Gives jobs back to the queue whose processes are gone, or said nothing for long. One that its process died over goes
// to the end of the queue, and the death is counted.
// Parameters: $queue STRING; $abandoned LIST<STRING> (tokens of jobs whose processes are known to be gone);
//   $most_attempts, $most_deaths INTEGER
// Rows: id STRING; deaths INTEGER; file STRING or null (the last one that was read); the jobs that are to be given up
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.looked = datetime() // one process at a time looks
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
