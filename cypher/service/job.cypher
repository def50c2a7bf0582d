// A job.
// Parameters: $id STRING
// Rows: job MAP (the properties); one, or none
MATCH (job:Overstory:Job {id: $id}) RETURN properties(job) AS job
