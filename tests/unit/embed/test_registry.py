from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.packages import install

from overstory.embed import make_embedder
from overstory.errors import ModelError, install_command
from overstory.settings import EmbeddingSettings

ACME = """
import numpy as np

class AcmeEmbedder:
    fingerprint, dimension, token_limit = "acme:1", 2, 10

    def __init__(self, settings):
        self.model = settings.model

    def embed(self, texts):
        return np.full((len(texts), 2), 0.5 ** 0.5, dtype=np.float32)

    def count_tokens(self, texts):
        return [len(text) for text in texts]

def nothing(settings):
    return None
"""
ENTRY_POINTS = """
[overstory.embedders]
acme = acme_embedder:AcmeEmbedder
acme-nothing = acme_embedder:nothing
acme-gone = acme_embedder:Gone
"""


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed package of somebody else, with an embedder."""
    install(tmp_path, monkeypatch, "acme", ENTRY_POINTS, acme_embedder=ACME)


def test_the_default_is_minilm() -> None:
    embedder = make_embedder(EmbeddingSettings())
    assert embedder.fingerprint.startswith("minilm-int8:")
    assert (embedder.dimension, embedder.token_limit) == (384, 256)


@pytest.mark.usefixtures("acme")
def test_another_package_may_bring_an_embedder() -> None:
    embedder = make_embedder(EmbeddingSettings("acme", model="large"))
    assert embedder.embed(["a", "b"]).shape == (2, 2)
    assert vars(embedder)["model"] == "large"


def test_an_unknown_name_gives_the_known_ones() -> None:
    with pytest.raises(ModelError, match=r"There is no embedder 'word2vec'\.") as raised:
        make_embedder(EmbeddingSettings("word2vec"))
    known = "best, fast, minilm, multilingual, openai, sentence-transformers"
    assert raised.value.remedy.startswith(f"Set OVERSTORY_EMBEDDER to one of: {known}.")


@pytest.mark.usefixtures("acme")
@pytest.mark.parametrize(
    ("name", "why"), [("acme-gone", "AttributeError"), ("acme-nothing", "is not a valid embedder")]
)
def test_a_broken_package_is_named(name: str, why: str) -> None:
    with pytest.raises(ModelError, match=rf"cannot be used: acme_embedder:\w+ of the package acme .*{why}"):
        make_embedder(EmbeddingSettings(name))


def test_a_missing_extra_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)  # as if it were not installed
    with pytest.raises(ModelError) as caught:
        make_embedder(EmbeddingSettings("sentence-transformers"))
    assert caught.value.remedy == install_command("sentence-transformers")
