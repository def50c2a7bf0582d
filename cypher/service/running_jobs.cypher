// Who works on jobs.
// Parameters: none
// Rows: token, host STRING; pid INTEGER; started FLOAT
MATCH (job:Overstory:Job) WHERE job.state = 'running'
RETURN job.token AS token, job.host AS host, job.pid AS pid, job.process_started AS started
