"""Texts on groups of units, shared by systems: written by rules, or by a language model with rules as fallback."""
