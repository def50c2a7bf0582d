// Cancels a job: one that waits at once, one that runs as soon as its process sees it.
// Parameters: $id STRING
// Rows: job MAP (the properties, and lapsed BOOLEAN: nobody keeps it); one, or none if there is no such job
MATCH (job:Overstory:Job {id: $id})
FOREACH (_ IN CASE WHEN job.state = 'queued' THEN [1] ELSE [] END |
  SET job.state = 'cancelled', job.ended = datetime(), job.waits = null)
FOREACH (_ IN CASE WHEN job.state = 'running' THEN [1] ELSE [] END | SET job.cancel = true)
RETURN job {.*, lapsed: job.until < datetime()} AS job
