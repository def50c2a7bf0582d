"""Which expressions of a document refer to the same thing."""
