// Takes note that what sets lost has been taken account of.
// Parameters: none
// Rows: none
MATCH (t:{{corpus}}_Parted) WHERE t:{{corpus}}_TretrieverNode
REMOVE t:{{corpus}}_Parted
