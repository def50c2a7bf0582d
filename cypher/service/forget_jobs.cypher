// Deletes the oldest jobs that have ended, beyond a number of them.
// Parameters: $keep INTEGER
// Rows: deleted INTEGER
MATCH (job:Overstory:Job) WHERE job.state IN ['done', 'failed', 'cancelled']
WITH job ORDER BY job.number DESC SKIP $keep
DETACH DELETE job
RETURN count(*) AS deleted
