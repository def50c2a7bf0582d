// Records where sentences begin, and by which extractor chunks were read. Where it is another than has read the whole
// corpus, none has from now on.
// Parameters: $rows LIST<MAP {chunk, fingerprint STRING; sentences LIST<INTEGER>}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
FOREACH (_ IN CASE WHEN row.fingerprint <> corpus.extracted_by THEN [1] ELSE [] END | REMOVE corpus.extracted_by)
WITH row
MATCH (c:Overstory {id: row.chunk}) WHERE c:Chunk AND c.corpus = $corpus
SET c.extracted = row.fingerprint, c.sentences = row.sentences, c:$($corpus + '_Changed')
REMOVE c:$($corpus + '_Unread')
