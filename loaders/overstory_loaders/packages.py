"""Opens documents that are ZIP archives (Office, OpenDocument and EPUB files) after checking their unpacked size."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory_loaders.files import WHOLE_FILE_BYTE_LIMIT, empty, has_suffix, read_head, reading
from overstory_loaders.xml_reader import XmlElement, read_tree

UNPACKED_BYTE_LIMIT = 512 * 2**20
"""Maximum unpacked size of all members together, as declared. Python never reads more than a member declares."""
_MOST_PACKAGE_MEMBERS = 50_000

_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
_MARKUP = (".xml", ".rels", ".opf", ".ncx", ".xhtml", ".html", ".htm")
_MEMBER_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""Exceptions that `zipfile` may raise for damaged members and unknown compression methods."""


@dataclass(frozen=True, slots=True)
class PackageKind:
    """A format whose files are ZIP archives.

    Attributes:
        name: name of the format, such as "DOCX".
        remedy: advice for files that are not in this format, or that need a password.
        old: description of an older format whose files begin with the same bytes as encrypted files of this format.
    """

    name: str
    remedy: str
    old: str = ""


def nothing(_name: str) -> bool:
    """Return False. This is the default for functions that select members."""
    return False


def is_markup(name: str) -> bool:
    """Return True if the name of a member has a suffix for XML or HTML."""
    return name.lower().endswith(_MARKUP)


def is_old_office(source: str, suffixes: Sequence[str]) -> bool:
    """Return True if a file has one of the suffixes and the old binary format of Office and Outlook."""
    try:
        return has_suffix(source, suffixes) and read_head(source, len(_OLD_OFFICE)) == _OLD_OFFICE
    except BrokenSource:
        return False


def why_not_old(source: str, suffix: str, kind: PackageKind) -> BrokenSource | None:
    """Return the error for a file in the format that Office used before 2007; None for other files."""
    if not is_old_office(source, (suffix,)):
        return None
    return BrokenSource(f"is {kind.old}", source=source, remedy=kind.remedy)


def open_package(
    stream: IO[bytes], source: str, kind: PackageKind, *, is_streamed: Callable[[str], bool] = nothing
) -> zipfile.ZipFile:
    """Open the archive in a stream.

    Args:
        is_streamed: function that returns True for the name of a member that is read piece by piece. Other members with
            XML or HTML must not exceed 64 MiB, because they are read all at once.

    Raises:
        BrokenSource: the file is empty, is not a ZIP archive, is encrypted, contains too many members, or unpacks to
            too many bytes.
    """
    with reading(source):
        head = stream.read(len(_OLD_OFFICE))
    if not head:
        raise empty(source)
    if head == _OLD_OFFICE and kind.old:
        raise BrokenSource(f"is encrypted, or {kind.old}", source=source, remedy=kind.remedy)
    try:
        with reading(source):
            archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise BrokenSource(
            f"is not {_article(kind.name)}: {error_text(error)}", source=source, remedy=kind.remedy
        ) from error
    members = archive.infolist()
    if any(member.flag_bits & 1 for member in members):
        raise BrokenSource("is encrypted, and needs a password", source=source, remedy=kind.remedy)
    if len(members) > _MOST_PACKAGE_MEMBERS:
        raise BrokenSource(f"contains more than {_MOST_PACKAGE_MEMBERS:,} files", source=source, remedy="Split it.")
    texts = (m for m in members if is_markup(m.filename) and not is_streamed(m.filename))
    largest = max((member.file_size for member in texts), default=0)
    if largest > WHOLE_FILE_BYTE_LIMIT or sum(member.file_size for member in members) > UNPACKED_BYTE_LIMIT:
        raise BrokenSource(
            f"unpacks to more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB of text, "
            f"or {UNPACKED_BYTE_LIMIT // 2**20} MiB in all",
            source=source,
            remedy="Split it.",
        )
    return archive


def has_member(archive: zipfile.ZipFile, name: str) -> bool:
    return name in archive.NameToInfo


@contextmanager
def open_member(archive: zipfile.ZipFile, name: str, source: str) -> Generator[IO[bytes]]:
    """Open a member of an archive as a stream.

    Raises:
        BrokenSource: the member is missing or damaged.
    """
    try:
        with archive.open(name) as stream:
            yield stream
    except KeyError as error:
        raise BrokenSource(f"does not contain {name[:200]!r}", source=source, remedy="Download it again.") from error
    except _MEMBER_ERRORS as error:
        raise BrokenSource(
            f"its member {name[:200]!r} is damaged: {error_text(error)}", source=source, remedy="Download it again."
        ) from error


def read_member(archive: zipfile.ZipFile, name: str, source: str) -> bytes:
    """Return all bytes of a member of an archive.

    Raises:
        BrokenSource: the member is missing, is damaged, or is larger than 64 MiB.
    """
    with open_member(archive, name, source) as stream:
        data = stream.read(WHOLE_FILE_BYTE_LIMIT + 1)
    if len(data) > WHOLE_FILE_BYTE_LIMIT:
        raise BrokenSource(
            f"its member {name[:200]!r} has more than {WHOLE_FILE_BYTE_LIMIT // 2**20} MiB",
            source=source,
            remedy="Split it.",
        )
    return data


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "AEIOX" else f"a {name}"


def readable_tree(archive: zipfile.ZipFile, name: str, source: str) -> XmlElement | None:
    """Return the XML tree in a member of a package; None if the member is missing or cannot be read."""
    if not has_member(archive, name):
        return None
    try:
        with open_member(archive, name, source) as stream:
            return read_tree(stream, source, part=name)
    except BrokenSource:
        return None
