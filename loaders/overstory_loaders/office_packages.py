"""Packages of Office (DOCX, PPTX, XLSX), as the libraries that read them know them.

Office also writes the strict variant of ISO 29500, whose XML differs in its namespaces alone. The libraries do not know
these, and get a copy with the usual ones.
"""

from __future__ import annotations

import posixpath
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import IO, cast

from overstory.model import date_of
from overstory_loaders.files import reading
from overstory_loaders.metadata import separated
from overstory_loaders.packages import (
    PackageKind,
    has_member,
    is_markup,
    nothing,
    open_member,
    open_package,
    read_member,
    readable_tree,
)

_OFFICE_PROPERTIES_RELATIONS = "_rels/.rels"
_CORE, _CUSTOM = "core-properties", "custom-properties"
_NAMES = {
    "contentStatus": "content_status",
    "creator": "author",
    "description": "comments",
    "lastModifiedBy": "last_modified_by",
    "lastPrinted": "last_printed",
}
"""Names as Office shows them, where those in the file are others."""
_DATES = frozenset({"created", "modified", "last_printed"})
_WHOLE = frozenset({"i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"})


def office_properties(archive: zipfile.ZipFile, source: str) -> dict[str, object]:
    """The properties by name; `title` is among them. A document is worth more than properties that are damaged."""
    places = _places(archive, source)
    found: dict[str, object] = {}
    core = readable_tree(archive, places.get(_CORE, ""), source)
    for element in () if core is None else core.elements():
        key = _NAMES.get(element.name, element.name)
        said = element.text().strip()
        if said and key not in found:
            found[key] = _core_value(key, said)
    custom = readable_tree(archive, places.get(_CUSTOM, ""), source)
    for element in () if custom is None else custom.elements():
        name, value = element.attributes.get("name", ""), next(element.elements(), None)
        if name and value is not None and (text := value.text()):
            found[name] = _typed(value.name, text)
    return found


def _places(archive: zipfile.ZipFile, source: str) -> dict[str, str]:
    """The names of the members with properties, by the last part of the type of their relation."""
    relations = readable_tree(archive, _OFFICE_PROPERTIES_RELATIONS, source)
    return {
        each.attributes.get("Type", "").rpartition("/")[2]: posixpath.normpath(
            each.attributes.get("Target", "").lstrip("/")
        )
        for each in (() if relations is None else relations.elements())
    }


def _core_value(name: str, text: str) -> object:
    if name == "keywords":
        return separated(text)
    if name == "revision" and text.isdecimal() and text.isascii():
        return int(text[:18])
    return (date_of(text) or text) if name in _DATES else text


def _typed(type_: str, text: str) -> object:
    """A value by its type in the file: `i4`, `r8`, `bool`, `filetime`, or a text."""
    try:
        if type_ in _WHOLE:
            return int(text)
        if type_ in ("r4", "r8", "decimal"):
            return float(text)
    except ValueError:
        return text
    if type_ == "bool":
        return text.strip().lower() in ("true", "1")
    return (date_of(text.strip()) or text) if type_ in ("filetime", "date") else text



PIECE_BYTES = 2**16
"""Bytes of a part that are copied at once."""
_LONGEST_NAMESPACE_BYTES = 200
"""Longer than any namespace of Office: what may be the beginning of one is held back until the next piece is read."""

Change = Callable[[str, IO[bytes]], Iterable[bytes]]
"""Called with the name and the content of a part; what stands for it in the copy."""

_RELATIONS = "_rels/.rels"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)(/\w+)?(/\w+)?")
_OF_NAMESPACE = bytes(range(ord("0"), ord("9") + 1)) + bytes(range(ord("A"), ord("z") + 1)) + b":/.-"
_OTHER_WORDS = {b"/extendedProperties": b"/extended-properties", b"/customProperties": b"/custom-properties"}


def open_office_package(
    stream: IO[bytes],
    source: str,
    kind: PackageKind,
    copies: ExitStack,
    *,
    is_streamed: Callable[[str], bool] = nothing,
) -> tuple[zipfile.ZipFile, IO[bytes]]:
    """The package in a stream, and the stream to read it from, which is that of a copy if it is a strict one.

    Args:
        copies: closes the copy.
        is_streamed: as in `open_package`, whose errors are raised.
    """
    return with_usual_parts(open_package(stream, source, kind, is_streamed=is_streamed), stream, source, copies)


def with_usual_parts(
    archive: zipfile.ZipFile, stream: IO[bytes], source: str, copies: ExitStack
) -> tuple[zipfile.ZipFile, IO[bytes]]:
    """As `open_office_package`, of a package that is open."""
    if not has_member(archive, _RELATIONS) or not _STRICT.search(read_member(archive, _RELATIONS, source)):
        return archive, stream
    copy = copies.enter_context(copied_package(archive, source, lambda _name, part: with_usual_names(part)))
    return zipfile.ZipFile(copy), copy


def copied_package(
    archive: zipfile.ZipFile, source: str, change: Change, *, is_left_out: Callable[[str], bool] = nothing
) -> IO[bytes]:
    """A copy of a package in a temporary file, with another content of each part that is XML, and none of others:
    pictures and fonts have to be there, but are not looked at.

    Args:
        is_left_out: whether a part, by its name, is not copied.

    Raises:
        BrokenSource: a part is damaged.
    """
    with reading(source):
        copy = cast("IO[bytes]", tempfile.TemporaryFile(prefix="overstory-"))  # noqa: SIM115 # the caller closes it
        try:
            with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
                for name in archive.NameToInfo:
                    if is_left_out(name):
                        continue
                    if not is_markup(name):
                        written.writestr(name, b"")
                        continue
                    with open_member(archive, name, source) as part, written.open(name, "w", force_zip64=True) as to:
                        for piece in change(name, part):
                            to.write(piece)
            copy.seek(0)
        except BaseException:
            copy.close()
            raise
    return copy


def pieces_of(part: IO[bytes]) -> Iterator[bytes]:
    """A part as it is."""
    while piece := part.read(PIECE_BYTES):
        yield piece


def with_usual_names(part: IO[bytes]) -> Iterator[bytes]:
    """A part with the namespaces that the libraries know."""
    before = b""
    for piece in pieces_of(part):
        read = before + piece
        end = read[-_LONGEST_NAMESPACE_BYTES:]
        cut = len(read) - len(end) + len(end.rstrip(_OF_NAMESPACE))
        yield _STRICT.sub(_usual_name, read[:cut])
        before = read[cut:]
    yield _STRICT.sub(_usual_name, before)


def _usual_name(strict: re.Match[bytes]) -> bytes:
    kind, *rest = (word or b"" for word in strict.groups())
    return b"http://schemas.openxmlformats.org/" + kind + b"/2006" + b"".join(_OTHER_WORDS.get(w, w) for w in rest)
