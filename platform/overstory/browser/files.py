"""The saved queries and the style as files: for a folder, and for Browser's favourites."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from overstory.browser.queries import SavedQuery
from overstory.browser.style import FILE_NAME
from overstory.errors import SettingsError


def archive_name(corpus: str) -> str:
    return f"overstory-{_file_name(corpus)}.zip"


def archive(corpus: str, queries: Iterable[SavedQuery]) -> bytes:
    """A ZIP file that Browser, when it is dropped there, turns into a folder of favourites."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            # An entry made from a name alone has a fixed date: the same queries give the same file.
            file.writestr(zipfile.ZipInfo(f"Overstory {_file_name(corpus)}/{query.name}.cypher"), query.text)
    return written.getvalue()


def save(folder: Path, corpus: str, queries: Sequence[SavedQuery], style: str) -> list[Path]:
    """Writes the queries, the style, and the archive for favourites, replacing files; returns what was written."""
    contents = {
        archive_name(corpus): archive(corpus, queries),
        FILE_NAME: style.encode(),
        **{f"{query.name}.cypher": f"{query.text}\n".encode() for query in queries},
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (folder / name).write_bytes(content)
    except OSError as error:
        raise SettingsError(f"{folder} cannot be written to: {error}", remedy="Name another folder.") from error
    return [folder / name for name in contents]


def _file_name(corpus: str) -> str:
    """The corpus' name with nothing in it that a path could mean."""
    return "".join(char if char.isalnum() or char in " -_" else "-" for char in corpus)
