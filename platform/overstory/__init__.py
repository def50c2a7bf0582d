"""Overstory turns documents into a knowledge graph in Neo4j and answers questions with evidence.

Start with the class `Knowledge`. Public names are imported on first use. Therefore `import overstory` loads neither the
Neo4j driver nor a model.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overstory.answer import Answer, Citation
    from overstory.conversation import Conversation
    from overstory.errors import OverstoryError
    from overstory.graph import CorpusSize
    from overstory.index import CorpusStatus, IndexReport, LoadReport, StoredDocument
    from overstory.knowledge import ExportReport, Knowledge, SeveralCorpora
    from overstory.model import Annotation, Document, Evidence, Heading, Hit, HitStatement, Link, Part, Reason
    from overstory.model.communities import Community, CommunityReports, CommunityTree, FullReport
    from overstory.model.entity_paths import EntityPath, EntityPaths, PathStep
    from overstory.progress import Step
    from overstory.settings import Settings
    from overstory.sources.read_options import ReadOptions

__all__ = [
    "Annotation",
    "Answer",
    "Citation",
    "Community",
    "CommunityReports",
    "CommunityTree",
    "Conversation",
    "CorpusSize",
    "CorpusStatus",
    "Document",
    "EntityPath",
    "EntityPaths",
    "Evidence",
    "ExportReport",
    "FullReport",
    "Heading",
    "Hit",
    "HitStatement",
    "IndexReport",
    "Knowledge",
    "Link",
    "LoadReport",
    "OverstoryError",
    "Part",
    "PathStep",
    "ReadOptions",
    "Reason",
    "Settings",
    "SeveralCorpora",
    "Step",
    "StoredDocument",
]

_HOMES = {
    "overstory.answer": ("Answer", "Citation"),
    "overstory.conversation": ("Conversation",),
    "overstory.model.entity_paths": ("EntityPath", "EntityPaths", "PathStep"),
    "overstory.errors": ("OverstoryError",),
    "overstory.graph": ("CorpusSize",),
    "overstory.index": ("CorpusStatus", "IndexReport", "LoadReport", "StoredDocument"),
    "overstory.knowledge": ("ExportReport", "Knowledge", "SeveralCorpora"),
    "overstory.model": (
        "Annotation",
        "Document",
        "Evidence",
        "Heading",
        "Hit",
        "HitStatement",
        "Link",
        "Part",
        "Reason",
    ),
    "overstory.model.communities": ("Community", "CommunityReports", "CommunityTree", "FullReport"),
    "overstory.progress": ("Step",),
    "overstory.settings": ("Settings",),
    "overstory.sources.read_options": ("ReadOptions",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            value: object = getattr(importlib.import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
