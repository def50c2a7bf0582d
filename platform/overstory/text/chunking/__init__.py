"""Documents into chunks that an embedder takes whole."""
