"""Trees: how a system stores a hierarchy over chunks, entities or documents, and how people view it.

A system declares its trees in `System.trees`, makes them with `build` and writes them with `changes`. `overstory tree`
and the saved queries of Neo4j Browser then show them, and retrievers find community vectors in `community_vectors`.
docs/graph-model.md describes the stored form.
"""
