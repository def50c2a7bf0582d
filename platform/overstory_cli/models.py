"""Models that are loaded while something else is waited for."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from overstory.knowledge import Knowledge, SeveralCorpora


@contextmanager
def embedder_loaded_meanwhile(knowledge: Knowledge | SeveralCorpora) -> Generator[None]:
    """Load the embedder's model in a thread of its own, as onnxruntime leaves a processor free for others meanwhile.

    What is wrong with the model is said when it is used.
    """

    def load() -> None:
        with suppress(Exception):
            knowledge.embedder.embed(["a text"])

    loading = threading.Thread(target=load, name="overstory-model", daemon=True)
    loading.start()
    try:
        yield
    finally:
        loading.join()
