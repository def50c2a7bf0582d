"""Writes texts about groups of units, by rules or with a language model. Several systems share this code."""
