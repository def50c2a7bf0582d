// The order in which stages page through the chunks of a corpus. It is one for all corpora, because every change of the
// schema makes the server forget its plans. Only chunks have a token_count, and only nodes with all three properties are
// in the index. Statements ask for it by a hint (INDEX SEEK), without which the planner may read it from the beginning,
// and they order by corpus and id, without which the planner does not see that it is in order.
// Parameters: none
// Rows: none
CREATE RANGE INDEX overstory_chunk_pages IF NOT EXISTS FOR (n:Overstory) ON (n.corpus, n.id, n.token_count)
