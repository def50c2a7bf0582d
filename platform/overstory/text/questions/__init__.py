"""Analysis of questions: their form, the names in them, and the information that they ask for."""
