// Keeps a job, and says how far it came.
// Parameters: $id, $token, $task, $unit STRING; $done INTEGER; $total INTEGER or null; $seconds INTEGER;
//   $seconds_left FLOAT or null; $loaded STRING (JSON); $file STRING (the last one that was read, or "")
// Rows: cancel BOOLEAN (whether somebody cancelled it); one, or none if another process has it
MATCH (job:Overstory:Job {id: $id}) WHERE job.token = $token AND job.state = 'running'
SET job.until = datetime() + duration({seconds: $seconds}), job.task = $task, job.done = $done, job.total = $total,
  job.unit = $unit, job.seconds_left = $seconds_left, job.loaded = $loaded,
  job.file = $file
RETURN coalesce(job.cancel, false) AS cancel
