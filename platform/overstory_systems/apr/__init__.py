"""AutoPrunedRetriever (Wang et al. 2026): stores facts, questions and answers as triples over one codebook of symbols.

`docs/research/apr.md` describes our interpretation of the paper and our measurements.
"""

from overstory_systems.apr.index import Apr
from overstory_systems.apr.settings import AprIndexSettings, AprRetrieverSettings

__all__ = ["Apr", "AprIndexSettings", "AprRetrieverSettings"]
