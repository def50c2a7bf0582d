"""The index stages, one per module."""
