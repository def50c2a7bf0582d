"""The graph in Neo4j Browser: saved queries, a guide made from them, colours and captions."""

from overstory.explore.addresses import Addresses
from overstory.explore.desk import serve_guide
from overstory.explore.files import save
from overstory.explore.queries import SavedQuery, all_queries, saved_queries
from overstory.explore.serving import GuideServer
from overstory.explore.style import style_of

__all__ = [
    "Addresses",
    "GuideServer",
    "SavedQuery",
    "all_queries",
    "save",
    "saved_queries",
    "serve_guide",
    "style_of",
]
