"""AutoPrunedRetriever (Wang et al. 2026): facts, questions and answers as runs of triples over one codebook.

`docs/research/apr.md` describes how the paper was interpreted and what was measured.
"""

from overstory_systems.apr.index import Apr
from overstory_systems.apr.settings import AprIndexSettings, AprRetrieverSettings

__all__ = ["Apr", "AprIndexSettings", "AprRetrieverSettings"]
