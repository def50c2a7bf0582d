// Names: those that most passages mention
// Parameters: $type STRING (PERSON, ORG, GPE, …; '' for all types)
// Rows: name, type STRING; passages INTEGER; specificity FLOAT (near 1: it tells passages apart); aliases LIST<STRING>;
//   most passages first
CALL () { MATCH (c:{{corpus}}_Chunk) RETURN count(c) AS chunks }
MATCH (e:Entity:{{corpus}}) WHERE $type IN ['', e.type]
RETURN e.name AS name, e.type AS type, e.df AS passages,
  round(log(1.0 + 1.0 * chunks / (1 + e.df)) / log(1.0 + chunks), 3) AS specificity, e.aliases AS aliases
ORDER BY passages DESC, name LIMIT 50
