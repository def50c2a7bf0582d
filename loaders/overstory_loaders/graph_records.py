"""Converts the vertices and edges of a graph to documents and links."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from overstory.display import counted
from overstory.errors import BrokenSource
from overstory.model import HEAVIEST_LINK, Document, Link
from overstory.protocols import OnBroken
from overstory_loaders.blocks import clean_text, clean_title
from overstory_loaders.files import empty
from overstory_loaders.metadata import clean_metadata
from overstory_loaders.place import Place
from overstory_loaders.records import Fields, KeyRegister

TEXTS = Fields().text
TITLES = Fields().title
WEIGHT = "weight"
LABELS = "labels"
"""Name of the metadata entry for the labels of a vertex."""
_LONGEST_LIST_NUMBERS = 100
"""Maximum length of a list of numbers in the metadata. Longer lists are embeddings, and are dropped."""
_MOST_DANGLING_EDGES_SHOWN = 20
"""Maximum number of edges to missing vertices that are reported one by one. Any others are only counted."""

_NUMBER = re.compile(r"[-+]?\d[\d_,.]*(?:[eE][-+]?\d+)?")


@dataclass(frozen=True, slots=True)
class Vertex:
    """A vertex of a graph.

    Attributes:
        key: key that is unique within the graph.
        values: properties by name.
        texts: names of the properties that form the text; if None, they are chosen automatically.
        title: name of the property that contains the title; if "", it is chosen automatically.
        plain_key: key to show to readers, if it differs from `key`.
        codes: names of properties whose strings are not text, such as dates and points.
        source: `Document.source` of the vertex, if it differs from the source of the graph.
    """

    place: Place
    key: str
    labels: Sequence[str]
    values: Mapping[str, object]
    texts: Sequence[str] | None = None
    title: str = ""
    plain_key: str = ""
    codes: frozenset[str] = frozenset()
    source: str = ""


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge between two vertices.

    Attributes:
        start: key of the vertex at which the edge starts.
        end: key of the vertex at which the edge ends.
        texts: names of the properties that form the text; if None, they are chosen automatically.
        weight: name of the property that contains the weight.
        source: `Document.source` of the start vertex, if it differs from the source of the graph.
        target_source: `Document.source` of the end vertex, if it differs from the source of the graph.
    """

    place: Place
    start: str
    end: str
    type: str
    values: Mapping[str, object]
    texts: Sequence[str] | None = None
    weight: str = WEIGHT
    source: str = ""
    target_source: str = ""


def graph_items(
    source: str, address: str, vertices: Iterable[Vertex], edges: Iterable[Edge], on_broken: OnBroken
) -> Iterator[Document | Link]:
    """Yield a document for each vertex, then a link for each edge.

    The items are created lazily, and memory use does not grow with the graph. Vertices with duplicate keys and edges to
    missing vertices are passed to `on_broken`.

    Args:
        source: source in the form in which the user specified it, for error messages.
        address: `Document.source` of vertices that have no `source` of their own.
    """
    with KeyRegister() as keys:
        found = False
        for vertex in vertices:
            found = True
            try:
                keys.claim(vertex.key, vertex.place)
            except BrokenSource as error:
                on_broken(error)
            else:
                yield document_of(vertex, vertex.source or address)
        if not found:
            raise empty(source, "it has no vertices")
        dangling = 0
        for edge in edges:
            missing = next((key for key in (edge.start, edge.end) if not keys.holds(key)), None)
            if missing is not None:
                dangling += 1
                if dangling <= _MOST_DANGLING_EDGES_SHOWN:
                    on_broken(
                        edge.place.broken(
                            f"an edge from {edge.start!r} to {edge.end!r}, but no vertex {missing!r}",
                            remedy="Add the vertex, or leave the edge out.",
                        )
                    )
                continue
            try:
                yield link_of(edge, edge.source or address, edge.target_source or address)
            except BrokenSource as error:
                on_broken(error)
        if dangling > _MOST_DANGLING_EDGES_SHOWN:
            more = counted(dangling - _MOST_DANGLING_EDGES_SHOWN, "more edge leads", "more edges lead")
            on_broken(BrokenSource(f"{more} to missing vertices", source=source))


def document_of(vertex: Vertex, address: str) -> Document:
    """Return the document for a vertex. Properties that are part of neither the text nor the title become metadata.

    If `vertex.texts` names the properties for the text, each of them becomes one line. Otherwise the text is the first
    property with a name such as "text". If no property has such a name, all properties that contain text are listed
    with their names. If the text is empty, the title or the key replaces it.
    """
    values = {name: value for name, value in vertex.values.items() if value is not None}
    names = {name.casefold(): name for name in reversed(values)}
    title_name = vertex.title or next((names[each] for each in TITLES if each in names), "")
    title = clean_title(_shown(values.get(title_name, ""))) if title_name else ""
    chosen, text = _text(vertex, values, names, title_name)
    used = {*chosen, *([title_name] if title else [])}
    rest = {name: value for name, value in values.items() if name not in used and not _is_vector(value)}
    labels = {LABELS: list(vertex.labels)} if vertex.labels else {}
    key_title = clean_title(vertex.plain_key or vertex.key)
    return Document(
        source=address,
        source_key=vertex.key,
        text=text or title or key_title,
        title=title or key_title,
        metadata=clean_metadata(rest | labels).values,
    )


def link_of(edge: Edge, address: str, target_address: str) -> Link:
    """Return the link for an edge. Its text is composed from properties in the same way as the text of a vertex."""
    values = {name: value for name, value in edge.values.items() if value is not None}
    if edge.texts is not None:
        names = [name for name in edge.texts if name in values]
    else:
        own = {name.casefold(): name for name in reversed(values)}
        first = next((own[each] for each in TEXTS if each in own), None)
        names = [first] if first else sorted(name for name in values if name != edge.weight and _is_text(values[name]))
    texts = [(name, clean_text(_shown(values[name]))) for name in names]
    texts = [(name, text) for name, text in texts if text]
    labelled = edge.texts is None and len(texts) > 1
    return Link(
        source=address,
        source_key=edge.start,
        target_key=edge.end,
        target_source=target_address,
        type=clean_title(edge.type),
        text="\n".join(f"{name}: {text}" if labelled else text for name, text in texts),
        weight=_weight(edge, values.get(edge.weight)),
    )


def _text(
    vertex: Vertex, values: Mapping[str, object], names: Mapping[str, str], title_name: str
) -> tuple[list[str], str]:
    """Return the names of the properties that form the text of a vertex, and the text itself."""
    if vertex.texts is not None:
        chosen = [name for name in vertex.texts if name in values]
        return chosen, clean_text("\n".join(_shown(values[name]) for name in chosen))

    def is_text(name: str) -> bool:
        return name not in vertex.codes and _is_text(values[name])

    first = next((names[each] for each in TEXTS if each in names and is_text(names[each])), None)
    if first is not None:
        return [first], clean_text(_shown(values[first]))
    chosen = [name for name in values if name != title_name and is_text(name)]
    lines = ((clean_title(name), clean_text(_shown(values[name]))) for name in chosen)
    return chosen, clean_text("\n".join(f"{name}: {text}" for name, text in lines if text))


def _weight(edge: Edge, value: object) -> float:
    try:
        weight = 1.0 if value is None or value == "" else float(cast("float", value))
    except (TypeError, ValueError, OverflowError):
        weight = math.nan
    if isinstance(value, bool) or not 0 < weight <= HEAVIEST_LINK:
        raise edge.place.broken(
            f"the {edge.weight} of the edge from {edge.start!r} to {edge.end!r} is {value!r:.40}",
            remedy=f"Make it a number above 0 and up to {HEAVIEST_LINK:g}, or rename the property.",
        )
    return weight


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_shown(each) for each in cast("Sequence[object]", value))
    return value if isinstance(value, str) else str(value)


def _is_text(value: object) -> bool:
    if isinstance(value, list | tuple):
        items = cast("Sequence[object]", value)
        return bool(items) and all(_is_text(each) for each in items)
    return isinstance(value, str) and bool(value.strip()) and not _NUMBER.fullmatch(value.strip())


def _is_vector(value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    items = cast("Sequence[object]", value)
    return len(items) > _LONGEST_LIST_NUMBERS and all(isinstance(each, int | float) for each in items)
