// Jobs, the latest first.
// Parameters: $corpora LIST<STRING> or null (all); $states LIST<STRING>; $before INTEGER (their numbers are below);
//   $limit INTEGER
// Rows: job MAP (the properties)
MATCH (job:Overstory:Job)
WHERE job.number < $before AND job.state IN $states AND ($corpora IS NULL OR job.corpus_name IN $corpora)
RETURN properties(job) AS job ORDER BY job.number DESC LIMIT $limit
