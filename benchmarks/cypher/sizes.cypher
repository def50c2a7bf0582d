// -- benchmarks/corpus_size
// Size of a corpus in the database, including systems.
// Parameters: none
// Rows: nodes, relationships INTEGER; one
MATCH (n:{{corpus}})
RETURN count(n) AS nodes, sum(COUNT { (n)-->() }) AS relationships

// -- benchmarks/system_size
// Size of a system's index in a corpus: its nodes, their relationships, the relationships that it writes between other
// nodes, and the stored vectors that its nodes use, which systems share.
// Parameters: $kinds LIST<STRING> (labels of its nodes); $types LIST<STRING> (of relationships between other nodes)
// Rows: nodes, relationships, vectors INTEGER; one
CALL () {
  MATCH (n:{{corpus}}) WHERE any(kind IN $kinds WHERE kind IN labels(n))
  RETURN count(n) AS nodes, sum(COUNT { (n)-->() }) AS outgoing,
    sum(COUNT { (n)<--(other:Overstory) WHERE none(kind IN $kinds WHERE kind IN labels(other)) }) AS incoming
}
CALL () {
  MATCH (n:{{corpus}})-[r]->(:Overstory)
  WHERE type(r) IN $types AND none(kind IN $kinds WHERE kind IN labels(n))
  RETURN count(r) AS between
}
CALL () {
  MATCH (n:{{corpus}})-[:HAS_VECTOR]->(v:Overstory) WHERE any(kind IN $kinds WHERE kind IN labels(n))
  RETURN count(DISTINCT v) AS vectors
}
RETURN nodes, outgoing + incoming + between AS relationships, vectors

// -- benchmarks/write_vectors
// Writes chunks that have only a vector, in a property without an index, to test nearest-neighbour search.
// Parameters: $rows LIST<MAP {id STRING, vector LIST<FLOAT>}>; $property STRING
// Rows: none
UNWIND $rows AS row
CREATE (c:Overstory:{{corpus}}:{{corpus}}_Chunk {id: '{{corpus}}/' + row.id})
CREATE (v:Overstory:{{corpus}}:{{corpus}}_PassageVector {id: '{{corpus}}/' + row.id + '/vector'})
SET v[$property] = row.vector
CREATE (c)-[:HAS_VECTOR]->(v)
