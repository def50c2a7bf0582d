"""Overstory: a layered knowledge graph in Neo4j, and evidence from it."""
