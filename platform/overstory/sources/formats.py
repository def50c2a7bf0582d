"""Which files the installed loaders read, and what others would need."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

from overstory.errors import ExtraMissing, LoaderNotFound, OverstoryError
from overstory.protocols import Loader
from overstory.sources.installed import catalogue

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
