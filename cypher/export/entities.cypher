// What the link stage made of entities.
// Parameters: none
// Rows: key, name, type STRING; aliases LIST<STRING>; df INTEGER; specificity FLOAT
MATCH (e:Entity:{{corpus}})
RETURN e.key AS key, e.name AS name, e.type AS type, e.aliases AS aliases, e.df AS df, e.specificity AS specificity
