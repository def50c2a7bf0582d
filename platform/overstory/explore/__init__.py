"""The graph in Neo4j Browser: saved queries, a guide made from them, colours and captions."""

from overstory.explore.addresses import Addresses
from overstory.explore.files import save
from overstory.explore.guide import guide
from overstory.explore.queries import SavedQuery, example_parameters, saved_queries
from overstory.explore.serving import GuideServer, serve_guide

__all__ = ["Addresses", "GuideServer", "SavedQuery", "example_parameters", "guide", "save", "saved_queries", "serve_guide"]
