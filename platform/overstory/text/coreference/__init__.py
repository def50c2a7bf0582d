"""Coreference resolution: finds the expressions in a document that refer to the same entity."""
