// How large the graph of all layers is.
// Parameters: $generation INTEGER
// Rows: entities INTEGER, relations INTEGER; one
MATCH (e:Overstory:HiragEntity {corpus: $corpus, generation: $generation})
USING INDEX SEEK e:HiragEntity(corpus, generation)
RETURN count(e) AS entities, coalesce(sum(COUNT { (e)-[:HIRAG_RELATED|SUMMARIZED_BY|SAME_AS]->(:Overstory:HiragEntity) }), 0) AS relations
