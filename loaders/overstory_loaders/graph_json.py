"""Reads graphs in JSON Lines files, either written by `apoc.export.json` or with plain records.

In a single file, each record must have a `type`, which is "node", "edge" or "relationship". In a folder, the records in
`nodes.jsonl` and `edges.jsonl` need no `type`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.files import address, has_suffix
from overstory_loaders.graph_records import Edge, Vertex
from overstory_loaders.graph_tables import EDGES, ENDS, IDS, NODE_LABELS, NODES, STARTS, TYPES, GraphFiles, tables_of
from overstory_loaders.json_records import LINES_SUFFIXES, first_record, json_records
from overstory_loaders.place import Place
from overstory_loaders.records import Record

KIND = "type"
NODE = "node"
EDGE = ("edge", "relationship")
PROPERTIES = "properties"


def is_graph_lines(source: str) -> bool:
    """Return True if a JSON Lines file contains a graph or part of one.

    Its first record must be a node or an edge, or it must be one of the node and edge files in a graph folder.
    """
    if not has_suffix(source, LINES_SUFFIXES):
        return False
    if Path(source).name.lower().startswith((*NODES, *EDGES)):
        folder = os.path.dirname(os.path.abspath(source))  # noqa: PTH100, PTH120 # as in `files.address`
        files = graph_lines(folder)
        if files is not None and address(source) in (*files.nodes, *files.edges):
            return True
    record = first_record(source)
    return record is not None and _is_graph_record(record)


def graph_lines(folder: str) -> GraphFiles | None:
    """Return the node and edge files (JSON Lines) in a folder, or None if either kind is missing."""
    try:
        names = sorted(path.name for path in Path(folder).iterdir())
    except OSError:
        return None
    return tables_of(folder, names, LINES_SUFFIXES, _fits)


def line_vertices(paths: Sequence[str], on_broken: OnBroken) -> Iterator[Vertex]:
    """Yield the vertices in some files, lazily. Records for edges are skipped."""
    for path in paths:
        for record in json_records(path, on_broken=on_broken):
            if _kind(record.values) in EDGE:
                continue
            try:
                yield _vertex(record)
            except BrokenSource as error:
                on_broken(error)


def line_edges(paths: Sequence[str], *, all_are: bool, on_broken: OnBroken) -> Iterator[Edge]:
    """Yield the edges in some files, lazily.

    Args:
        all_are: True if all records are edges. If False, only records whose `type` is that of an edge are read, and
            unreadable lines are not reported, because `line_vertices` has reported them.
    """
    for path in paths:
        for record in json_records(path, on_broken=on_broken if all_are else _ignore):
            if not all_are and _kind(record.values) not in EDGE:
                continue
            try:
                yield _edge(record)
            except BrokenSource as error:
                on_broken(error)


def _vertex(record: Record) -> Vertex:
    values = record.values
    key = _scalar(values, IDS, record.place, "id")
    used = {name for name in values if name.casefold() in (*IDS, *NODE_LABELS, PROPERTIES)}
    if _kind(values) == NODE:
        used.add(KIND)
        labels = _labels(values, [name for name in NODE_LABELS if name != KIND])
    else:
        labels = _labels(values, NODE_LABELS)
    return Vertex(record.place, key, labels, _properties(values, used))


def _edge(record: Record) -> Edge:
    values = record.values
    start = _scalar(values, STARTS, record.place, "source")
    end = _scalar(values, ENDS, record.place, "target")
    named = [name for name in TYPES if not (name == KIND and _kind(values) in EDGE)]
    types = _labels(values, named)
    used = {name for name in values if name.casefold() in (*STARTS, *ENDS, *TYPES, *IDS, PROPERTIES)}
    return Edge(record.place, start, end, types[0] if types else "", _properties(values, used))


def _properties(values: Mapping[str, object], used: set[str]) -> dict[str, object]:
    inner = values.get(PROPERTIES)
    given = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
    return given | {name: value for name, value in values.items() if name not in used}


def _scalar(values: Mapping[str, object], names: Sequence[str], place: Place, wanted: str) -> str:
    """Return the first usable key among the members with one of the `names`. A member may be an object with an `id`.

    Raises:
        BrokenSource: no member contains a key. The message calls the missing key `wanted`.
    """
    for name, value in values.items():
        if name.casefold() in names:
            found = cast("dict[str, object]", value).get("id") if isinstance(value, dict) else value
            if isinstance(found, str | int | float) and not isinstance(found, bool) and str(found).strip():
                return str(found)
    raise place.broken(f"has no {wanted}", remedy="Add one, or leave the record out.")


def _labels(values: Mapping[str, object], names: Sequence[str]) -> list[str]:
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return [value]
        if isinstance(value, list):
            return [str(each) for each in cast("list[object]", value)]
    return []


def _kind(values: Mapping[str, object]) -> str:
    kind = values.get(KIND)
    return kind.casefold() if isinstance(kind, str) else ""


def _is_graph_record(values: Mapping[str, object]) -> bool:
    names = {name.casefold() for name in values}
    if _kind(values) == NODE:
        return bool(names & set(IDS))
    return _kind(values) in EDGE and bool(names & set(STARTS)) and bool(names & set(ENDS))


def _fits(path: str, is_nodes: bool) -> bool:
    record = first_record(path)
    names = {name.casefold() for name in record or {}}
    if is_nodes:
        return bool(names & set(IDS))
    return bool(names & set(STARTS)) and bool(names & set(ENDS))


def _ignore(_error: BrokenSource) -> None:
    pass
