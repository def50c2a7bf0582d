// Who writes to a corpus.
// Parameters: $id STRING
// Rows: writer STRING ("" if nobody does); one
MATCH (corpus:Overstory:Corpus {id: $id})
RETURN CASE WHEN corpus.writer_token IS NULL OR corpus.writer_until < datetime() THEN ''
  ELSE corpus.writer_doing + ' by ' + corpus.writer_holder + ', process ' + corpus.writer_pid + ' on '
    + split(corpus.writer_host, '/')[0] END AS writer
