"""Text: chunks, sentences, names, entities and facts."""

from overstory.text.chunking import split
from overstory.text.names import entity_key
from overstory.text.registry import make_extractor

__all__ = ["entity_key", "make_extractor", "split"]
