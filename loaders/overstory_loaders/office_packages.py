"""Opens Office packages (DOCX, PPTX and XLSX) in a form that the libraries for these formats can read.

Office can also write a strict variant (ISO 29500), which differs only in its XML namespaces. The libraries do not know
these namespaces. They therefore receive a copy with the usual namespaces.
"""

from __future__ import annotations

import io
import posixpath
import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, NamedTuple, TypeVar, cast
from xml.sax.saxutils import quoteattr

from overstory.display import error_text
from overstory.errors import BrokenSource
from overstory.model import date_of
from overstory_loaders.by_content import format_by_content
from overstory_loaders.files import has_suffix, reading
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
    why_not_old,
)
from overstory_loaders.xml_reader import XmlReader, read_tree

T = TypeVar("T")


class OfficeLoader:
    """Base class of the loaders for DOCX, PPTX and XLSX files.

    Attributes:
        suffixes: file name suffixes of the current format.
        old_suffix: file name suffix of the format that Office used before 2007.
    """

    name: str
    isolated = True
    suffixes: tuple[str, ...]
    old_suffix: str
    kind: PackageKind

    def recognises(self, source: str) -> bool:
        """Return True for a file with one of the suffixes, unless it is the lock file ("~$a.docx") of a document."""
        return has_suffix(source, self.suffixes) and not Path(source).name.startswith("~$")

    def recognises_content(self, source: str) -> bool:
        return format_by_content(source) == self.name

    def why_not(self, source: str) -> BrokenSource | None:
        """Return the error for a file in the format that Office used before 2007; None for other files."""
        return why_not_old(source, self.old_suffix, self.kind)


_OFFICE_DAMAGE_RELATIONS = ".rels"
_MAIN = "officeDocument"
_EXTERNAL = "External"
_PLAIN_KINDS = {
    "core-properties": "properties",
    "extended-properties": "properties",
    "fontTable": "fonts",
    "notesMaster": "layout of notes",
    "notesSlide": "notes",
    _MAIN: "main part",
    "slideLayout": "layout",
    "slideMaster": "layout",
}
"""Maps the kinds of parts in Office packages to plain words for error messages."""
_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/relationships"


class LostPart(NamedTuple):
    """A part of a package that cannot be read.

    Attributes:
        referrer: name of the part that refers to it; "" if the package itself does.
        relation: id of the relation through which the referrer refers to it.
        kind: last segment of the relation's type, such as "footnotes" or "slide".
    """

    referrer: str
    relation: str
    kind: str
    name: str
    why: str

    def __str__(self) -> str:
        """Return a description such as "footnotes (word/footnotes.xml) cannot be read: its data are damaged"."""
        return f"{_PLAIN_KINDS.get(self.kind, self.kind)} ({self.name[:200]}) cannot be read: {self.why}"


@dataclass(frozen=True, slots=True)
class OpenedOffice(Generic[T]):
    """An Office file that a library has opened, with a list of the parts that had to be left out."""

    archive: zipfile.ZipFile
    document: T
    lost: list[LostPart]


def open_office(
    stream: IO[bytes], source: str, kind: PackageKind, copies: ExitStack, *, by: Callable[[IO[bytes]], T]
) -> OpenedOffice[T]:
    """Open a file with a library.

    If the library fails, try again on a copy from which damaged parts and references to missing parts are removed.

    Args:
        copies: exit stack that closes the temporary copies.
        by: opens a stream with the library. It raises an exception if the main part has another root element than the
            loader reads.

    Raises:
        BrokenSource: the file is not of this kind, or its main part is damaged.
    """
    package = open_package(stream, source, kind)
    try:
        archive, usual = with_usual_parts(package, stream, source, copies)
        return OpenedOffice(archive, by(usual), [])
    except Exception as error:  # noqa: BLE001 # the libraries may raise any exception for a damaged file
        refused = error
    repaired, lost = _repaired(package, source)
    copies.enter_context(repaired)
    reason = f"{type(refused).__name__}: {error_text(refused)}"
    try:
        return OpenedOffice(zipfile.ZipFile(repaired), by(repaired), lost)
    except Exception:  # noqa: BLE001 # the libraries may raise any exception
        reason = next((f"its {each}" for each in lost if each.kind == _MAIN), reason)
    raise BrokenSource(f"is not a {kind.name}, or is damaged: {reason}", source=source, remedy=kind.remedy) from refused


def _repaired(archive: zipfile.ZipFile, source: str) -> tuple[IO[bytes], list[LostPart]]:
    """Return a copy without damaged parts and without relations to missing parts, and a list of all these parts."""
    damaged = {name: why for name in archive.NameToInfo if is_markup(name) and (why := _damage(archive, name, source))}
    lost: dict[str, LostPart] = {}

    def change(name: str, part: IO[bytes]) -> Iterable[bytes]:
        if not name.endswith(_OFFICE_DAMAGE_RELATIONS):
            return _usual_part(name, part)
        referrer = _referrer(name)
        kept: list[str] = []
        for relation in read_tree(part, source, part=name).elements():
            attributes = relation.attributes
            path = posixpath.join("/", posixpath.dirname(referrer), attributes.get("Target", ""))
            target = posixpath.normpath(path)[1:]
            is_there = target in archive.NameToInfo and target not in damaged
            if is_there or attributes.get("TargetMode") == _EXTERNAL:
                kept.append("".join(f" {key}={quoteattr(value)}" for key, value in attributes.items()))
            elif is_markup(target):
                kind = attributes.get("Type", "").rpartition("/")[2]
                why = damaged.get(target, "it is missing")
                lost.setdefault(target, LostPart(referrer, attributes.get("Id", ""), kind, target, why))
        content = "".join(f"<Relationship{each}/>" for each in kept)
        return with_usual_names(io.BytesIO(f'<Relationships xmlns="{_NAMESPACE}">{content}</Relationships>'.encode()))

    for name, why in damaged.items():
        if name.endswith(_OFFICE_DAMAGE_RELATIONS):
            lost[name] = LostPart(_referrer(name), "", "relations", name, why)
    copy = copied_package(archive, source, change, is_left_out=damaged.__contains__)
    return copy, [each for each in lost.values() if each.referrer not in damaged]


def _damage(archive: zipfile.ZipFile, name: str, source: str) -> str:
    """Return the reason why a part cannot be read; "" if it can be read."""

    def ignore(*_: object) -> None:
        pass

    try:
        with open_member(archive, name, source) as part:
            try:
                for _ in XmlReader(source, start=ignore, end=ignore, characters=ignore).read(part):
                    pass
            except BrokenSource as error:
                return error.reason
    except BrokenSource:
        return "its data are damaged"
    return ""


def _referrer(relations: str) -> str:
    """Return the part whose relations a file contains: "word/document.xml" for "word/_rels/document.xml.rels"."""
    folder, name = posixpath.split(relations)
    return posixpath.join(posixpath.dirname(folder), name.removesuffix(_OFFICE_DAMAGE_RELATIONS))


_OFFICE_PROPERTIES_RELATIONS = "_rels/.rels"
_CORE, _CUSTOM = "core-properties", "custom-properties"
_NAMES = {
    "contentStatus": "content_status",
    "creator": "author",
    "description": "comments",
    "lastModifiedBy": "last_modified_by",
    "lastPrinted": "last_printed",
}
"""Maps property names in the file to the names that Office shows, where they differ."""
_OF_TEMPLATES = {
    "author": {"python-docx", "openpyxl", "PptxGenJS"},
    "comments": {"generated by python-docx", "generated using python-pptx"},
    "created": {"2013-12-23T23:15:00Z", "2013-01-27T09:14:16Z"},
    "last_modified_by": {"Steve Canny"},
    "modified": {"2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z"},
}
"""Values of the templates of python-docx and python-pptx, and names of libraries as authors."""
_DATES = frozenset({"created", "modified", "last_printed"})
_WHOLE = frozenset({"i1", "i2", "i4", "i8", "int", "ui1", "ui2", "ui4", "ui8", "uint"})


def office_properties(archive: zipfile.ZipFile, source: str) -> dict[str, object]:
    """Return the document properties by name, including `title`. If they are damaged, they are ignored.

    Values that a library's template has set are left out, because they say nothing about the document.
    """
    places = _places(archive, source)
    found: dict[str, object] = {}
    core = readable_tree(archive, places.get(_CORE, ""), source)
    for element in () if core is None else core.elements():
        key = _NAMES.get(element.name, element.name)
        content = element.text().strip()
        if content and key not in found and content not in _OF_TEMPLATES.get(key, ()):
            found[key] = _core_value(key, content)
    custom = readable_tree(archive, places.get(_CUSTOM, ""), source)
    for element in () if custom is None else custom.elements():
        name, value = element.attributes.get("name", ""), next(element.elements(), None)
        if name and value is not None and (text := value.text()):
            found[name] = _typed(value.name, text)
    return found


def _places(archive: zipfile.ZipFile, source: str) -> dict[str, str]:
    """Return a map from kind ("core-properties", …) to name, for all parts that the package itself refers to."""
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
    """Convert a text to the type that the file declares, such as `i4`, `r8`, `bool` or `filetime`.

    A text of another type, or one that cannot be converted, is returned unchanged.
    """
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
_INSERTED = (".docx", ".docm", ".dat", ".mht", ".mhtml", ".rtf", ".txt")
"""Endings of files that may be part of a text (`altChunk`) and are no markup."""
_LONGEST_NAMESPACE_BYTES = 200
"""Maximum length of a namespace. When a piece may end within a namespace, that end is processed with the next piece."""

Change = Callable[[str, IO[bytes]], Iterable[bytes]]
"""Function that receives the name and the contents of a part, and returns its contents in the copy."""

_RELATIONS = "_rels/.rels"
_TYPES = "[Content_Types].xml"
_VARIANT = re.compile(
    rb"application/vnd\.(?:ms-|openxmlformats-officedocument\.)(word|presentation|powerpoint)(?:processing)?(?:ml)?\."
    rb"(?:document|presentation|slideshow|template|addin)\.(?:macroEnabled(?:Template)?\.)?main\+xml"
)
_OPEN_TYPES = b"application/vnd.openxmlformats-officedocument."
_PLAIN_TYPE = {
    b"word": _OPEN_TYPES + b"wordprocessingml.document.main+xml",
    b"presentation": _OPEN_TYPES + b"presentationml.presentation.main+xml",
    b"powerpoint": _OPEN_TYPES + b"presentationml.presentation.main+xml",
}
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
    """Open the package in a stream, and return it with the stream to read from.

    For a package in Office's strict variant (ISO 29500), a template, a slide show or a file with macros, both belong
    to a copy with the usual namespaces and content types.

    Args:
        copies: exit stack that closes the copy.
        is_streamed: see `open_package`.

    Raises:
        BrokenSource: see `open_package`.
    """
    return with_usual_parts(open_package(stream, source, kind, is_streamed=is_streamed), stream, source, copies)


def with_usual_parts(
    archive: zipfile.ZipFile, stream: IO[bytes], source: str, copies: ExitStack
) -> tuple[zipfile.ZipFile, IO[bytes]]:
    """Return the same as `open_office_package` for a package that is already open."""
    is_strict = has_member(archive, _RELATIONS) and _STRICT.search(read_member(archive, _RELATIONS, source))
    types = read_member(archive, _TYPES, source) if has_member(archive, _TYPES) else b""
    if not is_strict and _plain_types(types) == types:
        return archive, stream
    copy = copies.enter_context(copied_package(archive, source, _usual_part))
    return zipfile.ZipFile(copy), copy


def copied_package(
    archive: zipfile.ZipFile, source: str, change: Change, *, is_left_out: Callable[[str], bool] = nothing
) -> IO[bytes]:
    """Return a copy of a package in a temporary file, with the contents of its XML parts converted by `change`.

    Files that are part of a text are copied unchanged. Other parts, such as pictures and fonts, become empty, because
    the libraries only need them to exist.

    Args:
        is_left_out: function that returns True for the name of a part that must not be copied.

    Raises:
        BrokenSource: a part is damaged.
    """
    with reading(source):
        copy = cast("IO[bytes]", tempfile.TemporaryFile(prefix="overstory-"))  # noqa: SIM115 # the caller must close it
        try:
            with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as written:
                for name in archive.NameToInfo:
                    if is_left_out(name):
                        continue
                    is_inserted = name.lower().endswith(_INSERTED)
                    if not is_markup(name) and not is_inserted:
                        written.writestr(name, b"")
                        continue
                    with open_member(archive, name, source) as part, written.open(name, "w", force_zip64=True) as to:
                        for piece in pieces_of(part) if is_inserted else change(name, part):
                            to.write(piece)
            copy.seek(0)
        except BaseException:
            copy.close()
            raise
    return copy


def pieces_of(part: IO[bytes]) -> Iterator[bytes]:
    """Yield the contents of a part unchanged, piece by piece."""
    while piece := part.read(PIECE_BYTES):
        yield piece


def _usual_part(name: str, part: IO[bytes]) -> Iterator[bytes]:
    return iter([_plain_types(b"".join(with_usual_names(part)))]) if name == _TYPES else with_usual_names(part)


def _plain_types(types: bytes) -> bytes:
    """Return the content types of a package, with that of a plain document for a main part with macros or a template.

    Slide shows, templates and files with macros have the same parts as plain documents, but the libraries refuse them.
    """
    return _VARIANT.sub(lambda found: _PLAIN_TYPE[found[1]], types)


def with_usual_names(part: IO[bytes]) -> Iterator[bytes]:
    """Yield the contents of a part, with the namespaces of Office's strict variant replaced by the usual namespaces."""
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
