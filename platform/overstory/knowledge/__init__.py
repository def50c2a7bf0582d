"""The API of one corpus."""

from overstory.knowledge.contents import MOST_BLOCKS, ExportReport
from overstory.knowledge.knowledge import Knowledge
from overstory.knowledge.names import MOST_NAMES
from overstory.knowledge.questions import MOST_PATHS, MOST_STEPS

__all__ = ["MOST_BLOCKS", "MOST_NAMES", "MOST_PATHS", "MOST_STEPS", "ExportReport", "Knowledge"]
