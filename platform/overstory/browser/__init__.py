"""The graph in Neo4j Browser: saved queries, a guide made from them, colours and captions."""

from overstory.browser.addresses import Addresses
from overstory.browser.bundle import serve_guide
from overstory.browser.contribution import Contribution
from overstory.browser.files import save
from overstory.browser.guide_server import GuideServer
from overstory.browser.places import place_commands
from overstory.browser.queries import SavedQuery, all_queries, saved_queries
from overstory.browser.style import style_of

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
