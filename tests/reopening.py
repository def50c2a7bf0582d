"""A corpus opened once more, with another language model."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from overstory.knowledge import Knowledge
from overstory.settings import LlmSettings


@contextmanager
def reopened(knowledge: Knowledge, llm: LlmSettings, cache: Path | None = None) -> Generator[Knowledge]:
    """The corpus with this model, whose answers are remembered in a folder of their own, or not at all."""
    if cache is None:
        settings = replace(knowledge.settings, llm=replace(llm, cache_megabytes=0))
    else:
        settings = replace(knowledge.settings, llm=llm, places=replace(knowledge.settings.places, cache=cache))
    with Knowledge(knowledge.corpus_name, settings=settings) as other:
        other.use(embedder=knowledge.embedder, extractor=knowledge.extractor)
        yield other
