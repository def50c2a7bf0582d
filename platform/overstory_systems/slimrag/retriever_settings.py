"""How SlimRAG's retriever answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from overstory.systems.settings import Preset, Presets, option


@dataclass(frozen=True, slots=True)
class SlimRagRetrieverSettings:
    """How questions are answered. Source of the defaults: the paper's appendix."""

    decomposition: bool = option(True, "take questions apart first")
    entities: int = option(5, "K: entities of the corpus for each of the question's", least=1, most=100)
    sentences: int = option(10, "H: sentences of the context", least=1, most=1_000)
    context_tokens: int = option(500, "tokens of the context", least=1, most=100_000)

    presets: ClassVar[Presets] = {"whole": Preset("questions are not taken apart", {"decomposition": False})}
