"""Jobs: loading, indexing and syncing, which take longer than a request may; kept in Neo4j, one a corpus at a time."""
