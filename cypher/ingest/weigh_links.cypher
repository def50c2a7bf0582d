// Gives stored links other weights. They are found by their element ids, as in `remove_links`.
// Parameters: $rows LIST<MAP {link (element id), document, type, text STRING; weight FLOAT}>
// Rows: none
UNWIND $rows AS row
MATCH (d:Overstory)-[l:LINKS]->(:Overstory) WHERE elementId(l) = row.link
WITH row, d, l WHERE d.id = row.document AND l.type = row.type AND l.text = row.text
SET l.weight = row.weight
