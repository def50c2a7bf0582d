"""Trees: how a system stores a hierarchy over chunks, entities or documents, and how a person looks at one.

A system names its trees (`System.trees`), makes them with `build` and writes them with `changes`. `overstory tree` and
the saved queries of Neo4j Browser then show them, and `community_vectors` has their vectors for a retriever.
docs/graph-model.md says what is stored.
"""
