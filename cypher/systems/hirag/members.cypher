// The entities in some communities.
// Parameters: $ids LIST<STRING> (of communities); $most INTEGER (members up to which one is read)
// Rows: id STRING; members LIST<STRING> (ids); none for a larger one
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:HiragCommunity AND t.corpus = $corpus AND t.size <= $most
MATCH (t)<-[:CHILD_OF*1..]-(:Overstory:HiragCommunity)-[:COVERS]->(e:Overstory:HiragEntity)
RETURN id, collect(e.id) AS members
