// Some entities as they are called now.
// Parameters: $ids LIST<STRING>
// Rows: id, name STRING
UNWIND $ids AS id
MATCH (e:Overstory {id: id}) WHERE e:{{corpus}}_Entity
RETURN id, e.name AS name
