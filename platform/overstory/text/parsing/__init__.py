"""Parsing texts with spaCy pipelines."""
