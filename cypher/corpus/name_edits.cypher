// The edits of names by hand, in the order in which they apply.
// Parameters: none
// Rows: number INTEGER; kind, name STRING; to STRING ("" where a name is hidden); at DATETIME
MATCH (edit:NameEdit:{{corpus}})
RETURN edit.number AS number, edit.kind AS kind, edit.name AS name, edit.to AS to, edit.at AS at ORDER BY number
