// Jobs, the latest first.
// Parameters: $corpora LIST<STRING> or null (all); $states LIST<STRING>; $before INTEGER (their numbers are below);
//   $limit INTEGER
// Rows: job MAP (the properties, and lapsed BOOLEAN: nobody keeps it)
MATCH (job:Overstory:Job)
WHERE job.number < $before AND job.state IN $states AND ($corpora IS NULL OR job.corpus_name IN $corpora)
RETURN job {.*, lapsed: job.until < datetime()} AS job ORDER BY job.number DESC LIMIT $limit
