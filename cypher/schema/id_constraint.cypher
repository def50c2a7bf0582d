// Makes ids unique among Overstory's nodes; the lookup of every MERGE.
// Parameters: none
// Rows: none
CREATE CONSTRAINT overstory_id IF NOT EXISTS FOR (n:Overstory) REQUIRE n.id IS UNIQUE
