// Writes what chunks are about, and marks both ends for the mentions stage. An entity that is not there yet is made: it has
// no type, and counts for no other stage.
// Parameters: $rows LIST<MAP {chunk, entity, key STRING; about MAP {weight FLOAT, source STRING,
//   full BOOLEAN, surface, type STRING or null, common BOOLEAN or null}}>
// Rows: none
MATCH (corpus:Overstory {id: $corpus})
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
MERGE (e:Overstory {id: row.entity})
ON CREATE SET e:Entity:$($corpus):$($corpus + '_Entity'), e.corpus = $corpus, e.key = row.key, e.name = row.key, e.type = '', e.aliases = [],
  e.backwards = CASE WHEN row.key CONTAINS ' ' THEN reverse(row.key) END, e.df = 0, e.touched = corpus.version + 1
MERGE (e)-[a:ABOUT]->(c)
SET a = row.about, c:$($corpus + '_Changed'), e:$($corpus + '_Changed')
