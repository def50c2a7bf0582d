"""Answers that AutoPrunedRetriever remembers on request, with the facts that they cite."""
