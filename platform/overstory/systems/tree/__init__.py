"""Trees: hierarchies of communities over chunks, entities or documents, which systems store and people view.

A system declares its trees in `System.trees`, makes them with `build` and writes them with `changes`. They are shown by
`overstory tree` and by the saved queries in Neo4j Browser. docs/graph-model.md describes how they are stored.
"""
