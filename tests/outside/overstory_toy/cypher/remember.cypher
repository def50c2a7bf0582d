// Remembers an answer.
// Parameters: $label, $id, $text STRING
// Rows: none
MERGE (m:Overstory {id: $id})
SET m:ToyMemory:{{corpus}}:{{corpus}}_ToyMemory, m.corpus = $label, m.text = $text
