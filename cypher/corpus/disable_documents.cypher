// Disables documents: no question finds anything of them any more. What was made from them stays.
// Parameters: $ids LIST<STRING>
// Rows: changed INTEGER; one
UNWIND $ids AS id
MATCH (d:Overstory {id: id}) WHERE d:Document AND d.corpus = $corpus AND d.disabled IS NULL
SET d.disabled = true, d:$($corpus + '_Disabled')
RETURN count(d) AS changed
