// The vectors of the remembered questions that were written after some change of the memory.
// Parameters: $after INTEGER (the memory's version then)
// Rows: questions LIST<LIST> (of each its id, and its vector as BYTES); one
MATCH (q:{{corpus}}_AprQuestion) WHERE q.version > $after
WITH q ORDER BY q.id
RETURN collect([q.id, q.vector]) AS questions
