"""What Office files (DOCX, PPTX, XLSX) say of themselves: their core properties, and those that users made up."""

from __future__ import annotations

import posixpath
import zipfile

from overstory.model import date_of
from overstory_loaders.metadata import separated
from overstory_loaders.packages import readable_tree

_RELATIONS = "_rels/.rels"
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
    relations = readable_tree(archive, _RELATIONS, source)
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
