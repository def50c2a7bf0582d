// Takes note that what communities lost has been taken account of.
// Parameters: $ids LIST<STRING>
// Rows: none
UNWIND $ids AS id
MATCH (t:Overstory {id: id}) WHERE t:{{corpus}}_Parted
REMOVE t:{{corpus}}_Parted
