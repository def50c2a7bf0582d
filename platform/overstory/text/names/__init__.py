"""Names in texts: their keys, tokens and spellings, and the names that a passage is about."""
