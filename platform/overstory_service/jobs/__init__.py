"""Background jobs that load, index and sync corpora. The queue is in Neo4j; each corpus has one job at a time."""
