"""The saved queries and the style as files: for a folder, and for Browser's favourites."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from overstory.errors import SettingsError
from overstory.explore.queries import SavedQuery

STYLE_NAME = "overstory.grass"
_STYLE = Path(__file__).with_name("style.grass")


def style() -> str:
    """Colours, sizes and captions, in the format that Browser's `:style` takes."""
    return _STYLE.read_text(encoding="utf-8")


def archive_name(corpus: str) -> str:
    return f"overstory-{_file_name(corpus)}.zip"


def archive(corpus: str, queries: Iterable[SavedQuery]) -> bytes:
    """A ZIP file that Browser, when it is dropped there, turns into a folder of favourites."""
    folder = f"Overstory {_file_name(corpus)}"
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as file:
        for query in queries:
            file.writestr(zipfile.ZipInfo(f"{folder}/{query.name}.cypher"), query.text + "\n")
    return written.getvalue()


def save(folder: Path, corpus: str, chapters: Mapping[str, list[SavedQuery]]) -> list[Path]:
    """Writes the queries, the style, and the archive for favourites; what was written. Files of these names go.

    Raises:
        SettingsError: the folder cannot be written to.
    """
    queries = [query for chapter in chapters.values() for query in chapter]
    contents = {
        STYLE_NAME: style().encode(),
        archive_name(corpus): archive(corpus, queries),
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
