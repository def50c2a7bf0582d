"""Files of Office of which a part is damaged or missing: the libraries refuse them, and get a copy without it."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Generic, NamedTuple, TypeVar
from xml.sax.saxutils import quoteattr

from overstory.errors import BrokenSource
from overstory_loaders.office_packages import copied_package, with_usual_names, with_usual_parts
from overstory_loaders.packages import PackageKind, is_markup, open_member, open_package
from overstory_loaders.xml_reading import XmlReader, read_tree

T = TypeVar("T")

_RELATIONS = ".rels"
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
"""Kinds of parts of which Office has another name."""
_NAMESPACE = "http://schemas.openxmlformats.org/package/2006/relationships"


class LostPart(NamedTuple):
    """A part that cannot be read.

    Attributes:
        referrer: the part that refers to it; "" for the package as a whole.
        relation: the id of this reference.
        kind: the last part of its type, as "footnotes" or "slide".
    """

    referrer: str
    relation: str
    kind: str
    name: str
    why: str

    def __str__(self) -> str:
        """ "footnotes (word/footnotes.xml) cannot be read: its data are damaged"."""
        return f"{_PLAIN_KINDS.get(self.kind, self.kind)} ({self.name[:200]}) cannot be read: {self.why}"


@dataclass(frozen=True, slots=True)
class OpenedOffice(Generic[T]):
    """A file of Office that a library has opened, and what of it was lost for that, each part once."""

    archive: zipfile.ZipFile
    document: T
    lost: list[LostPart]


def open_office(
    stream: IO[bytes], source: str, kind: PackageKind, copies: ExitStack, *, by: Callable[[IO[bytes]], T]
) -> OpenedOffice[T]:
    """Opens a file by a library; if this refuses it, without the parts that are damaged or missing.

    Args:
        copies: closes copies.

    Raises:
        BrokenSource: it is none of its kind, or its main part is damaged.
    """
    package = open_package(stream, source, kind)
    try:
        archive, usual = with_usual_parts(package, stream, source, copies)
        return OpenedOffice(archive, by(usual), [])
    except Exception as error:  # noqa: BLE001 # the libraries do not wrap errors of ZIP, XML and dictionaries
        refused = error
    mended, lost = _mended(package, source)
    copies.enter_context(mended)
    said = f"{type(refused).__name__}: {refused}"
    try:
        return OpenedOffice(zipfile.ZipFile(mended), by(mended), lost)
    except Exception:  # noqa: BLE001 # as above
        said = next((f"its {each}" for each in lost if each.kind == _MAIN), said)
    raise BrokenSource(f"is not a {kind.name}, or is damaged: {said}", source=source, remedy=kind.remedy) from refused


def _mended(archive: zipfile.ZipFile, source: str) -> tuple[IO[bytes], list[LostPart]]:
    """A copy without parts that are damaged and relations to what is not there, and which parts these are."""
    damaged = {name: why for name in archive.NameToInfo if is_markup(name) and (why := _damage(archive, name, source))}
    lost: dict[str, LostPart] = {}

    def change(name: str, part: IO[bytes]) -> Iterable[bytes]:
        if not name.endswith(_RELATIONS):
            return with_usual_names(part)
        referrer = _referrer(name)
        kept: list[str] = []
        for relation in read_tree(part, source, part=name).elements():
            said = relation.attributes
            target = posixpath.normpath(posixpath.join("/", posixpath.dirname(referrer), said.get("Target", "")))[1:]
            is_there = target in archive.NameToInfo and target not in damaged
            if is_there or said.get("TargetMode") == _EXTERNAL:
                kept.append("".join(f" {key}={quoteattr(value)}" for key, value in said.items()))
            elif is_markup(target):
                kind = said.get("Type", "").rpartition("/")[2]
                why = damaged.get(target, "it is missing")
                lost.setdefault(target, LostPart(referrer, said.get("Id", ""), kind, target, why))
        content = "".join(f"<Relationship{each}/>" for each in kept)
        return with_usual_names(io.BytesIO(f'<Relationships xmlns="{_NAMESPACE}">{content}</Relationships>'.encode()))

    for name, why in damaged.items():
        if name.endswith(_RELATIONS):
            lost[name] = LostPart(_referrer(name), "", "relations", name, why)
    copy = copied_package(archive, source, change, is_left_out=damaged.__contains__)
    return copy, [each for each in lost.values() if each.referrer not in damaged]


def _damage(archive: zipfile.ZipFile, name: str, source: str) -> str:
    """Why a part cannot be read; "" if it can."""

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
    """The part whose relations a part has: "word/document.xml" of "word/_rels/document.xml.rels"."""
    folder, name = posixpath.split(relations)
    return posixpath.join(posixpath.dirname(folder), name.removesuffix(_RELATIONS))
