// Writes chunks that are nothing but vectors, in a property that no index reads, to try a search for neighbours on.
// Parameters: $rows LIST<MAP {id STRING, vector LIST<FLOAT>}>; $property STRING
// Rows: none
UNWIND $rows AS row
CREATE (c:Overstory:{{corpus}}:{{corpus}}_Chunk {id: '{{corpus}}/' + row.id})
CREATE (v:Overstory:{{corpus}}:{{corpus}}_PassageVector {id: '{{corpus}}/' + row.id + '/vector'})
SET v[$property] = row.vector
CREATE (c)-[:HAS_VECTOR]->(v)
