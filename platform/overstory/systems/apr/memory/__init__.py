"""The memory of AutoPrunedRetriever: answers that were given, with the facts that they cite. Nothing without a request."""
