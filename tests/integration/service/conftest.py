"""A service over the shared Neo4j, with tokens of its own."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from tests.serving import Running, serving

from overstory.protocols import Embedder, Extractor
from overstory.settings import Settings
from overstory_service.settings import ServiceSettings


@pytest.fixture(scope="module")
def service(
    settings: Settings, models: tuple[Embedder, Extractor], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """Without tokens at first: who asks may do all."""
    folder = tmp_path_factory.mktemp("service")
    allowed = ServiceSettings(folders=(str(folder / "synced"),), upload_megabytes=1)
    (folder / "synced").mkdir()
    with serving(settings, models, folder, allowed) as running:
        yield running


@pytest.fixture
def client(service: Running) -> Iterator[httpx.Client]:
    """Yield an HTTP client on this machine."""
    with service.client() as made:
        yield made
