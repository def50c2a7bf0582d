"""Finds the installed loaders, which packages declare as entry points of the group `overstory.loaders`.

Loaders in other packages take precedence over our own, because users installed them on purpose.
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
    *(".rtf", ".csv", ".tsv", ".jsonl", ".json", ".xml", ".eml", ".mbox", ".ipynb", ".srt", ".vtt", ".pod", ".1"),
    *(".py", ".js", ".ts", ".go", ".rs", ".java", ".c", ".cpp", ".cs", ".rb", ".php", ".sh", ".yaml", ".toml"),
    *(".tif", ".tiff", ".png", ".jpg", ".graphml", ".zip", ".tar.gz", ".doc", ".xls", ".ppt", ".msg"),
)
_CONTENTS = {
    ".1": b".TH A 1\n.SH NAME\na \\- b\n",
    ".jpg": b"\xff\xd8\xff",
    ".json": b'[{"text": "a"}]',
    ".png": b"\x89PNG\r\n\x1a\n",
}
"""Contents of test files by suffix, for formats that are recognised by name and content."""
_NO_TEXT = b"\0\n"
"""The content of all other test files, whose formats are recognised by name alone."""


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes:
        loader: name of the loader.
        suffixes: suffixes of file names.
        problem, remedy: why the format cannot be read here, and what to do; "" if it can be read.
    """

    loader: str
    suffixes: tuple[str, ...]
    problem: str = ""
    remedy: str = ""


@functools.cache
def known_formats() -> tuple[Format, ...]:
    """Return the common file formats that the installed loaders recognise.

    Each loader reads a small test file, because some libraries are found to be missing only when a file is read.
    """
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
    """Return the error if a loader needs a library or a program that is missing, else None.

    All other errors are ignored, because the test file is not a valid file of its format.
    """

    def ignore(_: Exception) -> None:
        pass

    try:
        for _ in loader.load(file, on_broken=ignore):
            break
    except (ExtraMissing, LoaderNotFound) as lack:
        return lack
    except Exception:  # noqa: BLE001 # a loader may raise anything for a test file that is invalid
        return None
    return None


T = TypeVar("T")

GROUP = "overstory.loaders"

_NONE = "No loader is installed: reinstall Overstory."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The installed loaders.

    Attributes:
        loaders: map from names to loaders, in order of precedence.
        unusable: map from the name of each loader that cannot be used to the reason.
    """

    loaders: Mapping[str, Loader]
    unusable: Mapping[str, str] = field(default_factory=dict[str, str])

    def named(self, name: str) -> Loader:
        """Return the loader with this name, or raise `LoaderNotFound`."""
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
        """Return the first loader that recognises the name of a source.

        If no loader recognises its name, return the first loader that recognises its content, or None.
        """
        found = next((loader for loader in self.loaders.values() if recognises(loader, source)), None)
        if found is not None or not os.path.isfile(source):  # noqa: PTH113 # `Path.is_file` may raise `PermissionError`
            return found
        return next((loader for loader in self.loaders.values() if _recognises_content(loader, source)), None)

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the reason why no loader reads a file, with a remedy, or None if no loader knows the reason."""
        return next((why for loader in self.loaders.values() if (why := _result_of(loader, "why_not", source))), None)

    def skipped(self, source: str, shown: str) -> str:
        """Return the text that reports a skipped file. It includes the reason and the remedy if a loader knows them."""
        why = self.why_not(source)
        return f"{shown} ({why.reason}. {why.remedy})" if why else shown

    def of_database(self, source: str) -> DatabaseLoader | None:
        """Return the first loader that recognises a source as the address of a database, or None."""
        readers = (loader for loader in self.loaders.values() if isinstance(loader, DatabaseLoader))
        return next((loader for loader in readers if loader.is_database(source)), None)

    def not_recognised(self, source: str) -> LoaderNotFound:
        if why := self.why_not(source):
            return LoaderNotFound(str(why), remedy=why.remedy)
        remedy = (
            f"If you know its format, name the loader: --loader {'|'.join(sorted(self.loaders))}"
            if self.loaders
            else _NONE
        )
        if self.unusable:
            remedy += (
                f". Loaders that cannot be used: {', '.join(sorted(self.unusable))} (--loader NAME shows the reason)."
            )
        return LoaderNotFound(f"{source}: no loader recognises it.", remedy=remedy)


def catalogue(points: Iterable[EntryPoint] | None = None, *, settings: Settings | None = None) -> Catalogue:
    """Return all installed loaders. Loaders that cannot be imported or created are listed with the reason.

    Args:
        points: the entry points of the loaders; None for those of all installed packages.
        settings: settings for the loaders that read databases.
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
    """Return True if a loader recognises a source. If the loader raises an error, log it and return False."""
    return bool(_result_of(loader, "recognises", source))


def _recognises_content(loader: Loader, source: str) -> bool:
    return bool(_result_of(loader, "recognises_content", source))


def _result_of(loader: Loader, method: str, source: str) -> Any:  # the type of the result depends on the method
    """Return the result of a loader's method, or None if the loader does not have this method or the method fails."""
    try:
        return getattr(loader, method)(source) if hasattr(loader, method) else None
    except Exception:  # noqa: BLE001 # a loader of another package may raise anything; the next loader is tried
        _log.warning("The loader %r failed to look at %s", loader.name, source, exc_info=True)
        return None


def _make(plugin: Plugin) -> Loader:
    return cast("Loader", plugin.make(requires=("name", "recognises", "load")))
