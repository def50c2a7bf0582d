"""spaCy: pipelines, readings of parsed texts, and parse jobs in one or several processes."""
