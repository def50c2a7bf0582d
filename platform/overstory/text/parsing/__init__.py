"""Parsing of texts with spaCy pipelines."""
