// Keeps that two names are not one, so that they are not suggested again.
// Parameters: $id, $first, $second STRING (keys), $name, $into STRING (as they are written)
// Rows: none
MERGE (dismissed:Overstory {id: $id})
ON CREATE SET dismissed:DismissedMerge:$($corpus), dismissed.corpus = $corpus, dismissed.first = $first,
  dismissed.second = $second, dismissed.name = $name, dismissed.into = $into, dismissed.at = datetime()
