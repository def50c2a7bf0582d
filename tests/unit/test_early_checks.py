"""Errors are reported before a server is started or a model is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from overstory.errors import ModelError, OverstoryError, QuestionError, SettingsError, SourceError
from overstory.knowledge import Knowledge
from overstory.settings import EmbeddingSettings, ExtractionSettings, Places, ServerSettings, Settings

README = Path(__file__).parents[2] / "README.md"

WRONG: dict[str, tuple[Callable[[Knowledge], object], type[OverstoryError], str]] = {
    "retriever": (lambda k: k.search("Who?", retriever="nosuch"), SettingsError, "nosuch"),
    "retriever of ask": (lambda k: k.ask("Who?", retriever="nosuch"), SettingsError, "nosuch"),
    "option": (lambda k: k.search("Who?", retriever="hybrid:nosuch"), SettingsError, "nosuch"),
    "option of a system": (lambda k: k.search("Who?", retriever="serag:nosuch"), SettingsError, "nosuch"),
    "k": (lambda k: k.search("Who?", 0), QuestionError, "k must be between 1 and"),
    "question": (lambda k: k.search(" "), QuestionError, "empty"),
    "loader of a preview": (lambda k: k.preview(README, loader="nosuch"), SourceError, "nosuch"),
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


NO_EMBEDDER = {"embedding": EmbeddingSettings(embedder="nosuch")}
NO_EXTRACTOR = {"extraction": ExtractionSettings(extractor="nosuch")}
NO_PIPELINE = {"extraction": ExtractionSettings(pipeline="nosuch")}
Models = Mapping[str, EmbeddingSettings | ExtractionSettings]
WRONG_MODELS: dict[str, tuple[Models, Callable[[Knowledge], object]]] = {
    "search": (NO_EMBEDDER, lambda k: k.search("Who?")),
    "index": (NO_EMBEDDER, lambda k: k.index()),
    "ingest": (NO_EMBEDDER, lambda k: k.ingest_documents("A text.")),
    "preview": (NO_EMBEDDER, lambda k: k.preview(README)),
    "index without extractor": (NO_EXTRACTOR, lambda k: k.index()),
    "index without pipeline": (NO_PIPELINE, lambda k: k.index()),
}


@pytest.mark.parametrize("name", WRONG_MODELS)
def test_a_wrong_model_is_said_before_a_server_is_started(name: str, tmp_path: Path) -> None:
    models, act = WRONG_MODELS[name]
    with Knowledge(settings=at(tmp_path, **models)) as knowledge, pytest.raises(ModelError, match="nosuch"):
        act(knowledge)
    assert not any(tmp_path.iterdir())
