"""Coreference: which expressions of a document refer to the same entity."""
