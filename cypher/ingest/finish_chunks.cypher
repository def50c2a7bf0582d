// Writes what a name can begin with in chunks, and takes the mark of change off them.
// Parameters: $rows LIST<MAP {chunk STRING; starts LIST<STRING>}>
// Rows: none
UNWIND $rows AS row
MATCH (c:Overstory {id: row.chunk})
SET c.name_starts = row.starts
REMOVE c:$($corpus + '_Changed')
