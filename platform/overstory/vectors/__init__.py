"""Vectors as arrays: their packed form, and nearest neighbours."""
