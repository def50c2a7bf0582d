"""Names in texts: their normalised keys, tokens, spellings, and which name a passage is about."""
