"""Analysis of questions: their form, the names in them, and what they ask for."""
