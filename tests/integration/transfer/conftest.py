from __future__ import annotations

from collections.abc import Iterator

import pytest

from overstory.knowledge import Knowledge
from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings


@pytest.fixture
def stager(settings: Settings, models: tuple[Embedder, Extractor]) -> Iterator[Knowledge]:
    """Yield a `Knowledge` without a reachable server, because staging needs none."""
    with Knowledge("staged", uri="bolt://127.0.0.1:9", settings=settings) as knowledge:
        knowledge.use(embedder=models[0], extractor=models[1])
        yield knowledge
