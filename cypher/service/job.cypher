// A job.
// Parameters: $id STRING
// Rows: job MAP (the properties, and lapsed BOOLEAN: nobody keeps it); one, or none
MATCH (job:Overstory:Job {id: $id}) RETURN job {.*, lapsed: job.until < datetime()} AS job
