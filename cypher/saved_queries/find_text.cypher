// Search: passages by their words
// Parameters: $words STRING (Lucene's syntax: a word, "a phrase", +needed, -unwanted, begin*)
// Rows: score FLOAT, title, text, heading, id STRING (of the passage); best first
MATCH (corpus:Overstory {id: '{{corpus}}'})
CALL db.index.fulltext.queryNodes('overstory_text_' + corpus.index_set, $words, {limit: 25}) YIELD node AS c, score
RETURN round(score, 3) AS score, c.title AS title, c.text AS text, c.heading AS heading, c.id AS id
ORDER BY score DESC, id
