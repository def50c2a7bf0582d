"""Extraction of entities and facts from texts."""
