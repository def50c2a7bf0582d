"""What is wrong is said before a server is started or a model is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from overstory.errors import ModelError, OverstoryError, QuestionError, SettingsError
from overstory.knowledge import Knowledge
from overstory.settings import EmbeddingSettings, ExtractionSettings, Places, ServerSettings, Settings

README = Path(__file__).parents[2] / "README.md"

WRONG: dict[str, tuple[Callable[[Knowledge], object], type[OverstoryError], str]] = {
    "retriever": (lambda k: k.search("Who?", retriever="nosuch"), SettingsError, "nosuch"),
    "retriever of ask": (lambda k: k.ask("Who?", retriever="nosuch"), SettingsError, "nosuch"),
    "option": (lambda k: k.search("Who?", retriever="hybrid:nosuch"), SettingsError, "nosuch"),
    "option of a system": (lambda k: k.search("Who?", retriever="serag:nosuch"), SettingsError, "nosuch"),
    "k": (lambda k: k.search("Who?", 0), QuestionError, "k is 0"),
    "question": (lambda k: k.search(" "), QuestionError, "empty"),
    "system": (lambda k: k.index(systems="nosuch"), SettingsError, "nosuch"),
}


def at(folder: Path, **models: EmbeddingSettings | ExtractionSettings) -> Settings:
    """Settings of a server that cannot start: it has no Java and no jars, and may not be looked for."""
    places = Places(data=folder / "home", cache=folder / "cache")
    server = ServerSettings(java=str(folder / "nosuch-java"), heap="nonsense")
    return Settings(places=places, server=server, **models)  # type: ignore[arg-type] # each by its name


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_said_before_a_server_is_started(name: str, tmp_path: Path) -> None:
    act, error, word = WRONG[name]
    with Knowledge(settings=at(tmp_path)) as knowledge, pytest.raises(error, match=word):
        act(knowledge)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("models", "act"),
    [
        ({"embedding": EmbeddingSettings(embedder="nosuch")}, lambda k: k.search("Who?")),
        ({"embedding": EmbeddingSettings(embedder="nosuch")}, lambda k: k.index()),
        ({"embedding": EmbeddingSettings(embedder="nosuch")}, lambda k: k.ingest_documents("A text.")),
        ({"embedding": EmbeddingSettings(embedder="nosuch")}, lambda k: k.preview(README)),
        ({"extraction": ExtractionSettings(extractor="nosuch")}, lambda k: k.index()),
        ({"extraction": ExtractionSettings(pipeline="nosuch")}, lambda k: k.index()),
    ],
)
def test_a_wrong_model_is_said_before_a_server_is_started(
    models: dict[str, EmbeddingSettings | ExtractionSettings], act: Callable[[Knowledge], object], tmp_path: Path
) -> None:
    with Knowledge(settings=at(tmp_path, **models)) as knowledge, pytest.raises(ModelError, match="nosuch"):
        act(knowledge)
    assert not any(tmp_path.iterdir())
