"""Benchmarks: BEIR folders in, TREC runs and metrics out, retrievers side by side."""
