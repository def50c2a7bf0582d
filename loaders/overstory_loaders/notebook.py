"""Loads Jupyter notebooks as Markdown with their text, code and printed output."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import address, empty, has_suffix, stem
from overstory_loaders.hyperlinks import hyperlinks
from overstory_loaders.json_records import json_at
from overstory_loaders.markdown import read_markdown
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.place import Place
from overstory_loaders.text_encoding import read_text

SUFFIXES = (".ipynb",)
_MOST_OUTPUT_CHARACTERS = 2_000
"""Maximum length of a cell's output. It is enough for a table or a result, but not for a training log."""

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_PICTURE = re.compile(r"\(data:[^()\s]*\)")
"""Matches the address of a picture that is embedded in the text as base64."""
_REMEDY = "Open it in Jupyter, and save it again."


class NotebookLoader:
    """Loader for Jupyter notebooks. The title comes from the metadata, the first level-1 heading or the file name."""

    name = "notebook"
    isolated = True

    def recognises(self, source: str) -> bool:
        return has_suffix(source, SUFFIXES)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """Yield one document, then its links to other files.

        Text cells are kept as they are; code and output are put into fenced code blocks. Broken cells are reported and
        left out.
        """
        text = read_text(source)
        if not text.strip():
            raise empty(source)
        notebook = json_at(text, Place(source))
        if not isinstance(notebook, dict):
            raise BrokenSource("is JSON, but not a notebook", source=source, remedy=_REMEDY)
        known = cast("dict[str, object]", notebook)
        about = _mapping(known.get("metadata"))
        language = _language(about)
        parts: list[str] = []
        for number, cell in enumerate(_cells(known, source), start=1):
            try:
                parts += _cell(_mapping(cell), language)
            except (TypeError, ValueError):
                on_broken(Place(source, record=number).broken("is not a cell", remedy=_REMEDY))
        whole = clean_text("\n\n".join(part for part in parts if part.strip()))
        if not whole:
            raise empty(source, "its cells have no text")
        headings, links = read_markdown(whole)
        first = next((heading.text for heading in headings if heading.level == 1), "")
        yield Document(
            source=address(source),
            source_key="",
            text=whole,
            title=clean_title(_string(about.get("title"))) or clean_title(first) or clean_title(stem(source, SUFFIXES)),
            metadata=clean_metadata(_metadata(about, language), dates_in_text=False).values,
            headings=headings,
        )
        yield from hyperlinks(address(source), links)


def _cells(notebook: Mapping[str, object], source: str) -> list[object]:
    """Return the cells of a notebook. In formats before version 4, they are inside worksheets."""
    sheets = notebook.get("worksheets")
    lists = [_mapping(each).get("cells") for each in _list(sheets)] if sheets else [notebook.get("cells")]
    if not any(isinstance(each, list) for each in lists):
        raise BrokenSource("is not a notebook: it has no list 'cells'", source=source, remedy=_REMEDY)
    return [cell for each in lists for cell in _list(each)]


def _cell(cell: Mapping[str, object], language: str) -> Iterator[str]:
    """Yield the parts of a cell in Markdown.

    Raises:
        TypeError: the cell has an unknown type or is malformed.
    """
    source = _joined(cell.get("source", cell.get("input", "")))
    match cell.get("cell_type"):
        case "code":
            if source.strip():
                yield _fenced(source, _string(cell.get("language")) or language)
            yield from _outputs(_list(cell.get("outputs")))
        case "heading":
            yield f"{'#' * min(6, int(_string(cell.get('level')) or 1))} {' '.join(source.split())}"
        case "markdown" | "raw":
            yield _PICTURE.sub("()", source)
        case kind:
            raise TypeError(kind)


def _outputs(outputs: Sequence[object]) -> Iterator[str]:
    printed: list[str] = []
    for each in map(_mapping, outputs):
        data = _mapping(each.get("data", each))
        markdown = data.get("text/markdown")
        if each.get("output_type") in ("error", "pyerr"):
            printed.append(f"{_string(each.get('ename'))}: {_string(each.get('evalue'))}")
        elif markdown:
            yield _shortened(_PICTURE.sub("()", _joined(markdown)))
        elif text := data.get("text/plain", data.get("text")):
            printed.append(_joined(text))
    text = _COLOURS.sub("", "\n".join(part.rstrip("\n") for part in printed)).strip("\n")
    if text.strip():
        yield _fenced(_shortened(text), "text")


def _shortened(text: str) -> str:
    if len(text) <= _MOST_OUTPUT_CHARACTERS:
        return text
    kept = text[:_MOST_OUTPUT_CHARACTERS].rpartition("\n")[0] or text[:_MOST_OUTPUT_CHARACTERS]
    lines = text.count("\n", len(kept)) + (not text[len(kept) :].startswith("\n"))
    return f"{kept}\n… ({lines:,} more lines)"


def _fenced(text: str, language: str) -> str:
    longest = max((len(each) for each in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _language(about: Mapping[str, object]) -> str:
    kernel, info = _mapping(about.get("kernelspec")), _mapping(about.get("language_info"))
    found = _string(info.get("name")) or _string(kernel.get("language")) or "python"
    return "".join(found.lower().split())[:50].replace("`", "")


def _metadata(about: Mapping[str, object], language: str) -> dict[str, object]:
    authors = [_string(_mapping(each).get("name")) for each in _list(about.get("authors"))]
    kernel = _string(_mapping(about.get("kernelspec")).get("display_name"))
    names = [each for each in authors if each]
    return {
        "author": names[0] if len(names) == 1 else names or None,
        "kernel": kernel or None,
        "programming_language": language,
    }


def _joined(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(line, str) for line in cast("list[object]", value)):
        return "".join(cast("list[str]", value))
    raise TypeError(type(value).__name__)


def _string(value: object) -> str:
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""


def _mapping(value: object) -> Mapping[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []
