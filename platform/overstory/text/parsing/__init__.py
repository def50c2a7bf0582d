"""spaCy: pipelines, the jobs that read parsed texts, and the worker processes."""
