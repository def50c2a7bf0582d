// Marks the documents of a folder that have one of some blocks; commits as it goes.
// Parameters: $folder STRING (id); $hashes LIST<INTEGER>
// Rows: none
MATCH (:Overstory {id: $folder})<-[:IN_FOLDER]-(d:Overstory:Document)
WHERE NOT $corpus + '_BoilerplateStale' IN labels(d) AND any(hash IN $hashes WHERE hash IN d.blocks)
CALL (d) { SET d:$($corpus + '_BoilerplateStale') } IN TRANSACTIONS OF 10000 ROWS
