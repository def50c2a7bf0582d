"""The Python API of one corpus."""

from overstory.knowledge.communities import MOST_PATHS_FOUND, MOST_STEPS_OF_A_PATH
from overstory.knowledge.documents import MOST_BLOCKS_LISTED, MOST_VALUES_LISTED, ExportReport
from overstory.knowledge.entities import MOST_NAMES_LISTED
from overstory.knowledge.entity_edits import MERGE_REASONS, MOST_MERGES_SUGGESTED
from overstory.knowledge.knowledge import Knowledge
from overstory.knowledge.several import SeveralCorpora

__all__ = [
    "MERGE_REASONS",
    "MOST_BLOCKS_LISTED",
    "MOST_MERGES_SUGGESTED",
    "MOST_NAMES_LISTED",
    "MOST_PATHS_FOUND",
    "MOST_STEPS_OF_A_PATH",
    "MOST_VALUES_LISTED",
    "ExportReport",
    "Knowledge",
    "SeveralCorpora",
]
