"""Packages of Office (DOCX, PPTX, XLSX), as the libraries that read them know them.

Office also writes the strict variant of ISO 29500, whose XML differs in its namespaces alone. The libraries do not know
these, and get a copy with the usual ones.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import IO, cast

from overstory_loaders.files import reading
from overstory_loaders.packages import (
    PackageKind,
    has_member,
    is_markup,
    nothing,
    open_member,
    open_package,
    read_member,
)

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
