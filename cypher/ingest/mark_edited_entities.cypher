// Marks entities whose names were edited by hand for the mentions stage, and for the entities stage if that one names them.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:Entity AND e.corpus = $corpus
SET e:$($corpus + '_Changed')
WITH e WHERE EXISTS { (e)<-[m:MENTIONS]-(:Overstory:Chunk) WHERE m.by <> 'dictionary' }
SET e:$($corpus + '_Stale')
