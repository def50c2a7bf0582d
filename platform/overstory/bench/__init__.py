"""Benchmarks of retrievers: reads BEIR folders, computes metrics, and writes TREC run files."""
