// Takes some symbols out of their groups, and what was merged off their edges.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (s:Overstory {id: id}) WHERE s:AprEntity AND s.corpus = $corpus
REMOVE s:$($corpus + '_AprAlias')
WITH s
OPTIONAL MATCH (s)-[alias:ALIAS_OF]->(:Overstory:AprEntity)
DELETE alias
WITH DISTINCT s
MATCH (s)<-[:HEAD|TAIL]-(e:Overstory:AprEdge)
REMOVE e.canonical
