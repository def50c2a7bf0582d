"""Text processing: chunks, sentences, names, entities and facts."""

from overstory.text.chunks import split
from overstory.text.extraction.extractors import make_extractor
from overstory.text.names.keys import entity_key

__all__ = ["entity_key", "make_extractor", "split"]
