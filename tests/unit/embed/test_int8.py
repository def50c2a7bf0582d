"""The embedders that compute in int8, with the models that a user gets."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from overstory.embed.int8 import _MINILM, BestEmbedder, FastEmbedder, fetch_models
from overstory.embed.minilm import MiniLmEmbedder
from overstory.errors import ModelError, ProvisioningError
from overstory.settings import EmbeddingSettings, Settings

TEXTS = ["Paris is the capital of France.", "The capital of Germany is Berlin.", "I like bread."]


def test_vectors_are_nearly_those_of_the_default() -> None:
    fast, exact = FastEmbedder().embed(TEXTS), MiniLmEmbedder().embed(TEXTS)
    assert (fast * exact).sum(axis=1).min() > 0.97


def test_a_cosine_of_best_is_the_mean_of_two() -> None:
    best, fast = BestEmbedder().embed(TEXTS), FastEmbedder().embed(TEXTS)
    assert best.shape == (3, 768)
    assert np.allclose(best[:, :384] * np.sqrt(2), fast, atol=1e-6)
    assert np.linalg.norm(best[:, 384:], axis=1) == pytest.approx(1 / np.sqrt(2), abs=1e-6)


def test_counting_tokens_needs_no_model(tmp_path: Path) -> None:
    assert FastEmbedder(EmbeddingSettings(models=tmp_path)).count_tokens(["A tree."]) == [5]
    assert not list(tmp_path.iterdir())


def test_a_model_is_copied_from_a_folder_of_jars(tmp_path: Path) -> None:
    FastEmbedder().embed(["A tree."])  # downloads the jar, unless it is there
    jar = Settings.from_environment({}).places.jar_cache / "jars" / _MINILM.jar.file_name
    (tmp_path / "usb").mkdir()
    shutil.copy(jar, tmp_path / "usb")
    with pytest.raises(ProvisioningError, match="bge-small"):
        fetch_models(tmp_path, source=tmp_path / "usb")
    (tmp_path / "jars").mkdir(exist_ok=True)
    shutil.copy(jar, tmp_path / "jars")
    embedder = FastEmbedder(EmbeddingSettings(models=tmp_path))
    assert np.array_equal(embedder.embed(TEXTS), FastEmbedder().embed(TEXTS))


def test_a_damaged_model_is_refused_with_a_remedy(tmp_path: Path) -> None:
    model = tmp_path / "models" / f"{_MINILM.sha256[:8]}-{_MINILM.member}"
    model.parent.mkdir()
    model.write_bytes(b"damaged")
    with pytest.raises(ModelError, match="is not the expected file") as caught:
        FastEmbedder(EmbeddingSettings(models=tmp_path)).embed(TEXTS)
    assert "Delete" in caught.value.remedy
