"""The installed loaders, found through the entry points `overstory.loaders`.

Loaders of other packages take precedence over ours: they were installed on purpose.
"""

from __future__ import annotations

import functools
import logging
import os
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, TypeVar, cast

from overstory.errors import BrokenSource, ExtraMissing, LoaderNotFound, OverstoryError
from overstory.plugins import Plugin, PluginUnusable, plugins
from overstory.protocols import DatabaseLoader, Loader
from overstory.settings import Settings

_SUFFIXES = (
    *(".txt", ".md", ".rst", ".html", ".htm", ".pdf", ".docx", ".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub"),
    *(".csv", ".tsv", ".jsonl", ".json", ".xml", ".eml", ".mbox", ".ipynb", ".srt", ".vtt", ".pod", ".1"),
    *(".py", ".js", ".ts", ".go", ".rs", ".java", ".c", ".cpp", ".cs", ".rb", ".php", ".sh", ".yaml", ".toml"),
    *(".tif", ".tiff", ".png", ".jpg", ".graphml", ".zip", ".tar.gz", ".doc", ".xls", ".ppt", ".rtf", ".msg"),
)
_CONTENTS = {".json": b'[{"text": "a"}]', ".1": b".TH A 1\n.SH NAME\na \\- b\n"}
"""Of files that are recognised by what is in them and a name like this."""
_NO_TEXT = b"\0\n"
"""Of others: what is recognised is the name."""


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of files.

    Attributes:
        loader: its name; "" if none recognises such a file.
        suffixes: of the names of such files.
        problem, remedy: why it cannot be read here, and what to do; "" if it can.
    """

    loader: str
    suffixes: tuple[str, ...]
    problem: str = ""
    remedy: str = ""


@functools.cache
def known_formats() -> tuple[Format, ...]:
    """The usual kinds of files, each tried once with the installed loaders: whether what it needs is installed shows
    when a file is read. Kinds that no loader recognises are left out."""
    loaders = catalogue()
    found: dict[str, list[str]] = {}
    tried: dict[str, OverstoryError | None] = {}
    with tempfile.TemporaryDirectory(prefix="overstory-formats-") as folder:
        for suffix in _SUFFIXES:
            file = Path(folder) / f"file{suffix}"
            file.write_bytes(_CONTENTS.get(suffix, _NO_TEXT))
            loader = loaders.recognising(str(file))
            if loader is None:
                continue
            found.setdefault(loader.name, []).append(suffix)
            if loader.name not in tried:
                tried[loader.name] = _lack(loader, str(file))
    return tuple(
        Format(name, tuple(suffixes))
        if (lack := tried[name]) is None
        else Format(name, tuple(suffixes), str(lack), lack.remedy)
        for name, suffixes in found.items()
    )


def _lack(loader: Loader, file: str) -> OverstoryError | None:
    """What keeps a loader from reading its files at all; None if nothing does. That this one is broken says nothing."""

    def ignore(_: Exception) -> None:
        """A broken record is not what is asked here."""

    try:
        for _ in loader.load(file, on_broken=ignore):
            break
    except (ExtraMissing, LoaderNotFound) as lack:
        return lack
    except Exception:  # noqa: BLE001 # a loader may raise anything for a file that is not of its format
        return None
    return None


T = TypeVar("T")

GROUP = "overstory.loaders"

_NONE = "No loader is installed: reinstall Overstory."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The loaders by name, in order of precedence, and the reasons why others cannot be used, by name."""

    loaders: Mapping[str, Loader]
    unusable: Mapping[str, str] = field(default_factory=dict[str, str])

    def named(self, name: str) -> Loader:
        """The loader with this name."""
        if name in self.loaders:
            return self.loaders[name]
        if name in self.unusable:
            raise LoaderNotFound(
                f"The loader {name!r} cannot be used: {self.unusable[name]}",
                remedy="Update or reinstall its package.",
            )
        remedy = f"Use one of: {', '.join(sorted(self.loaders))}." if self.loaders else _NONE
        raise LoaderNotFound(f"There is no loader {name!r}.", remedy=remedy)

    def recognising(self, source: str) -> Loader | None:
        """The first loader that recognises a source; by the content of a file only where none knows its name."""
        found = next((loader for loader in self.loaders.values() if recognises(loader, source)), None)
        if found is not None or not os.path.isfile(source):  # noqa: PTH113 # as the walk does
            return found
        return next((loader for loader in self.loaders.values() if _recognises_content(loader, source)), None)

    def why_not(self, source: str) -> BrokenSource | None:
        """Why no loader reads a file, and what to do, where one knows."""
        return next((why for loader in self.loaders.values() if (why := _result_of(loader, "why_not", source))), None)

    def skipped(self, source: str, shown: str) -> str:
        """What is said of a file that no loader reads: its address, and the reason where one is known."""
        why = self.why_not(source)
        return f"{shown} ({why.reason}. {why.remedy})" if why else shown

    def of_database(self, source: str) -> DatabaseLoader | None:
        """The first loader that reads a source as a database; None if it is a path."""
        readers = (loader for loader in self.loaders.values() if isinstance(loader, DatabaseLoader))
        return next((loader for loader in readers if loader.is_database(source)), None)

    def not_recognised(self, source: str) -> LoaderNotFound:
        """The error for a source that no loader recognises."""
        if why := self.why_not(source):
            return LoaderNotFound(str(why), remedy=why.remedy)
        remedy = f"If it is one of these, name it: --loader {'|'.join(sorted(self.loaders))}" if self.loaders else _NONE
        if self.unusable:
            remedy += f". Not usable now: {', '.join(sorted(self.unusable))} (--loader NAME gives the reason)."
        return LoaderNotFound(f"{source}: no loader recognises it.", remedy=remedy)


def catalogue(points: Iterable[EntryPoint] | None = None, *, settings: Settings | None = None) -> Catalogue:
    """Every installed loader. One that cannot be imported or made is listed with the reason, and the others go on.

    Args:
        settings: for loaders that read databases.
    """
    own: dict[str, Loader] = {}
    others: dict[str, Loader] = {}
    unusable: dict[str, str] = {}
    for plugin in plugins(GROUP, points):
        if plugin.name in own or plugin.name in others:
            unusable[f"{plugin.name} ({plugin.package})"] = "another loader has this name"
            continue
        try:
            loader = _make(plugin)
            if settings is not None and isinstance(loader, DatabaseLoader):
                loader = loader.with_settings(settings)
            (own if plugin.is_own else others)[plugin.name] = loader
        except (PluginUnusable, OverstoryError) as why:
            unusable[plugin.name] = str(why)
    return Catalogue({**others, **own}, unusable)


def recognises(loader: Loader, source: str) -> bool:
    """Whether the loader recognises the source; a loader that fails counts as no, and is logged."""
    return bool(_result_of(loader, "recognises", source))


def _recognises_content(loader: Loader, source: str) -> bool:
    return bool(_result_of(loader, "recognises_content", source))


def _result_of(loader: Loader, method: str, source: str) -> Any:  # the result of any method
    """The result for a source of a method, which may be optional; None without it, or if it fails."""
    try:
        return getattr(loader, method)(source) if hasattr(loader, method) else None
    except Exception:  # noqa: BLE001 # a third party's loader may raise anything, and the next one is tried
        _log.warning("The loader %r failed to look at %s", loader.name, source, exc_info=True)
        return None


def _make(plugin: Plugin) -> Loader:
    return cast("Loader", plugin.make(requires=("name", "recognises", "load")))
