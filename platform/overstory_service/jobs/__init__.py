"""Background jobs that load, index and sync corpora.

The queue of jobs is stored in Neo4j. At any time, at most one job per corpus is running.
"""
