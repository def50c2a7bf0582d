"""Questions: the names in them and the simpler questions they are made of."""
