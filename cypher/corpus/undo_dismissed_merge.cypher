// Forgets that two names are not one.
// Parameters: $id STRING
// Rows: deleted INTEGER; one
MATCH (dismissed:Overstory {id: $id}) WHERE dismissed:DismissedMerge AND dismissed.corpus = $corpus
DELETE dismissed
RETURN count(*) AS deleted
