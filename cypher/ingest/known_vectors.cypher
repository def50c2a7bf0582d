// Which of some vectors are stored.
// Parameters: $ids LIST<STRING> (of vectors); $property STRING (where they are)
// Rows: id STRING
UNWIND $ids AS id
MATCH (v:Overstory {id: id}) WHERE v:PassageVector AND v.corpus = $corpus AND v[$property] IS NOT NULL
RETURN id
