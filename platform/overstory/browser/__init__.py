"""Support for Neo4j Browser: saved queries, a guide that presents them, colours and captions."""

from overstory.browser.guide import Addresses, GuideServer, place_commands, serve_guide
from overstory.browser.queries import Contribution, SavedQuery, all_queries, saved_queries
from overstory.browser.style import save, style_of

__all__ = [
    "Addresses",
    "Contribution",
    "GuideServer",
    "SavedQuery",
    "all_queries",
    "place_commands",
    "save",
    "saved_queries",
    "serve_guide",
    "style_of",
]
