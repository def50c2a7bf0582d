"""Benchmarks of retrievers: BEIR folders in, TREC runs and metrics out."""
