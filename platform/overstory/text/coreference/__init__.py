"""Coreference: expressions of a document that refer to the same thing."""
