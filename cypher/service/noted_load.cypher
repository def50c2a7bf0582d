// What a job has loaded, as its corpus notes it in the transactions that write documents.
// Parameters: $id, $job STRING (id: of the corpus)
// Rows: loaded STRING (JSON); one, or none if another job loaded since
MATCH (corpus:Overstory:Corpus {id: $id}) WHERE corpus.loaded_by = $job
RETURN corpus.loaded AS loaded
