"""Entities and facts of a parsed text."""
