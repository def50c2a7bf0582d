// Queues a job of the service. Its queue is locked, so that numbers rise with time.
// Parameters: $id, $queue, $corpus, $kind, $by, $input, $place STRING (place: of the files that it needs, or "")
// Rows: job MAP (the properties, and lapsed BOOLEAN: nobody keeps it)
MERGE (queue:Overstory:JobQueue {id: $queue})
SET queue.number = coalesce(queue.number, 0) + 1
CREATE (job:Overstory:Job {id: $id, number: queue.number, corpus_name: $corpus, kind: $kind, by: $by, input: $input,
  place: $place, state: 'queued', created: datetime(), attempts: 0})
RETURN job {.*, lapsed: job.until < datetime()} AS job
