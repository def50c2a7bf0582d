"""Reads graphs from tables of nodes and tables of edges in one folder.

Headers may be in the format of `neo4j-admin database import`, or plain:

- A node table has a header such as `movieId:ID,title,released:int,:LABEL`, or a plain header with a column `id`.
- An edge table has the columns `:START_ID`, `:END_ID` and `:TYPE`, or plain columns such as `source`, `target` and
  `type`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from overstory.errors import BrokenSource
from overstory.protocols import OnBroken
from overstory_loaders.files import FILE_ERRORS, address, is_file, read_head, uncompressed_name
from overstory_loaders.graph_records import Edge, Vertex
from overstory_loaders.place import Place
from overstory_loaders.tables import (
    DELIMITERS,
    SHOWN_CHARACTERS,
    TABLE_SUFFIXES,
    CountedLines,
    TableHeader,
    column_names,
    table_cells,
    table_header,
    table_lines,
    table_rows,
)
from overstory_loaders.text_encoding import marked_encoding

Fits = Callable[[str, bool], bool]
"""Type of a function `fits(path, is_nodes)`, which returns True if a file seems to contain nodes or edges.

It looks for nodes if `is_nodes` is True, and for edges if it is False.
"""

NODES = ("nodes", "vertices")
EDGES = ("edges", "relationships")
"""The names of edge files begin with one of these words; those of node files begin with one of the `NODES`."""
IDS = ("id", "_id", "key")
STARTS = ("source", "from", "start")
ENDS = ("target", "to", "end")
TYPES = ("type", "label", "relation")
NODE_LABELS = ("labels", "label", "type")
"""Possible names of the column with the labels in a plain header. If several occur, the first in this list is used."""

_HEAD_BYTES = 2**16
_COLUMN = re.compile(r"(?P<name>[^:]*):(?P<type>\w+)(?:\((?P<space>[^)]*)\))?(?P<list>\[\])?(?:\{.*\})?")
_WHOLE = frozenset({"int", "long", "short", "byte"})
_PARTS = frozenset({"float", "double"})
_TRUTH = frozenset({"boolean"})
_WORDS = frozenset({"string", "char"})
_CODES = frozenset({"point", "date", "localtime", "time", "localdatetime", "datetime", "duration"})
_ROLES = frozenset({"ID", "START_ID", "END_ID", "TYPE", "LABEL", "IGNORE"})
_BETWEEN = ";"
"""Separator between labels, and between the values in a list."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column in a `neo4j-admin` header, such as `name:type`, `name:ID(space)` or `:LABEL`.

    Attributes:
        type: data type or role in the graph, such as "int" or "ID".
        space: id space, within which ids are unique; "" if none is declared.
    """

    name: str
    type: str = "string"
    space: str = ""
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class GraphFiles:
    """The paths of the node files and of the edge files of a graph, sorted by name."""

    nodes: tuple[str, ...]
    edges: tuple[str, ...]


def graph_files(folder: str) -> GraphFiles | None:
    """Return the node and edge tables in a folder, or None if either kind is missing."""
    try:
        names = sorted(path.name for path in Path(folder).iterdir())
    except OSError:
        return None
    return tables_of(folder, names, TABLE_SUFFIXES, _is_header_of)


def is_table_of_graph(source: str) -> bool:
    """Return True if a file is one of the node or edge tables in its folder."""
    name = Path(source).name.lower()
    if not name.startswith((*NODES, *EDGES)):
        return False
    files = graph_files(os.path.dirname(os.path.abspath(source)))  # noqa: PTH100, PTH120 # as in `files.address`
    return files is not None and address(source) in (*files.nodes, *files.edges)


def tables_of(folder: str, names: Sequence[str], suffixes: tuple[str, ...], fits: Fits) -> GraphFiles | None:
    """Return the node files and the edge files among the `names` in a folder.

    Return None if either kind is missing, or if neither the first node file nor the first edge file `fits`. The other
    files are not opened, because there may be thousands. If only one of the two files fits, the error in the other is
    reported later.
    """
    found: dict[tuple[str, ...], list[str]] = {NODES: [], EDGES: []}
    for name in names:
        plain = uncompressed_name(name).lower()
        for kind in found:
            path = (Path(folder) / name).as_posix()
            if plain.startswith(kind) and plain.endswith(suffixes) and is_file(path):
                found[kind].append(path)
    if not (found[NODES] and found[EDGES]):
        return None
    if not any(fits(paths[0], kind is NODES) for kind, paths in found.items()):
        return None
    return GraphFiles(tuple(found[NODES]), tuple(found[EDGES]))


def table_vertices(files: GraphFiles, on_broken: OnBroken) -> Iterator[Vertex]:
    """Yield the vertices of all node tables, lazily."""
    for path in files.nodes:
        lines = table_lines(path, on_broken)
        header, first = table_header(lines, path, _names_nodes)
        if not _names_nodes(header.names):
            on_broken(_without(first, header, "id", "Name the column with the ids ':ID' or 'id'."))
            continue
        columns = _columns(header, _node_roles(header.names))
        _report_unknown_types(first, header, on_broken)
        codes = frozenset(column.name for column in columns.values() if column.type in _CODES)
        for place, row in _rows(lines, header, path, on_broken):
            try:
                key, values = _id_of(columns, "ID", row, place), _values(columns, row, place)
            except BrokenSource as error:
                on_broken(error)
                continue
            labels = [label for cell in _cells_of(columns, "LABEL", row) for label in cell.split(_BETWEEN) if label]
            yield Vertex(place, key, labels, values, codes=codes)


def table_edges(files: GraphFiles, on_broken: OnBroken) -> Iterator[Edge]:
    """Yield the edges of all edge tables, lazily."""
    for path in files.edges:
        lines = table_lines(path, on_broken)
        header, first = table_header(lines, path, _names_edges)
        if not _names_edges(header.names):
            remedy = "Name the columns of the ends ':START_ID' and ':END_ID', or 'source' and 'target'."
            on_broken(_without(first, header, "source and target", remedy))
            continue
        columns = _columns(header, _edge_roles(header.names))
        _report_unknown_types(first, header, on_broken)
        for place, row in _rows(lines, header, path, on_broken):
            try:
                start, end = _id_of(columns, "START_ID", row, place), _id_of(columns, "END_ID", row, place)
                values = _values(columns, row, place)
            except BrokenSource as error:
                on_broken(error)
                continue
            yield Edge(place, start, end, next(iter(_cells_of(columns, "TYPE", row)), ""), values)


def _report_unknown_types(place: Place, header: TableHeader, on_broken: OnBroken) -> None:
    """Report columns with an unknown type. In a plain header, a colon is just part of a column name."""
    for name in header.names if _declared(header.names) else ():
        found = _COLUMN.fullmatch(name)
        if found is not None and found["name"] and column_of(name) == Column(name):
            on_broken(
                place.broken(
                    f"its column {name[:SHOWN_CHARACTERS]!r} has the type {found['type'][:SHOWN_CHARACTERS]!r}, "
                    "which is unknown: it was read as text",
                    remedy="Correct it: int, float, boolean, string, date, datetime, point, … or none.",
                )
            )


def _without(place: Place, header: TableHeader, what: str, remedy: str) -> BrokenSource:
    return place.broken(f"has no {what}: its columns are {', '.join(header.names)[:SHOWN_CHARACTERS]}", remedy=remedy)


def _rows(
    lines: CountedLines, header: TableHeader, path: str, on_broken: OnBroken
) -> Iterator[tuple[Place, Mapping[str, object]]]:
    for row, place in table_rows(lines, header.delimiter, path, on_broken):
        try:
            cells = table_cells(header, row, place)
        except BrokenSource as error:
            on_broken(error)
        else:
            yield place, cells


def _is_header_of(path: str, is_nodes: bool) -> bool:
    try:
        head = read_head(path, _HEAD_BYTES)
    except (BrokenSource, *FILE_ERRORS):
        return False
    line = head.decode(marked_encoding(head) or "utf-8", "replace").lstrip().partition("\n")[0]
    fits = _names_nodes if is_nodes else _names_edges
    return any(fits(column_names(line, delimiter)) for delimiter in DELIMITERS)


def _names_nodes(names: tuple[str, ...]) -> bool:
    return "ID" in _node_roles(names).values()


def _names_edges(names: tuple[str, ...]) -> bool:
    roles = _edge_roles(names).values()
    return "START_ID" in roles and "END_ID" in roles


def _node_roles(names: tuple[str, ...]) -> dict[str, str]:
    """Return a map from column name to role ("ID", "LABEL", …) for the columns that have a role."""
    declared = _declared(names)
    if "ID" in declared.values():
        return declared
    return declared | _plain(names, {"ID": IDS, "LABEL": NODE_LABELS})


def _edge_roles(names: tuple[str, ...]) -> dict[str, str]:
    declared = _declared(names)
    if "START_ID" in declared.values():
        return declared
    return declared | _plain(names, {"START_ID": STARTS, "END_ID": ENDS, "TYPE": TYPES})


def _declared(names: tuple[str, ...]) -> dict[str, str]:
    columns = {name: column_of(name) for name in names}
    return {name: column.type for name, column in columns.items() if column.type in _ROLES}


def _plain(names: tuple[str, ...], roles: Mapping[str, Sequence[str]]) -> dict[str, str]:
    by_name = {name.casefold(): name for name in reversed(names)}
    found: dict[str, str] = {}
    for role, candidates in roles.items():
        name = next((by_name[each] for each in candidates if each in by_name and by_name[each] not in found), None)
        if name is not None:
            found[name] = role
    return found


def column_of(name: str) -> Column:
    """Return the column that a header field declares. Without a known type, it is a text column."""
    found = _COLUMN.fullmatch(name)
    if found is None:
        return Column(name)
    kind = found["type"]
    role, plain = kind.upper(), kind.lower()
    if role in _ROLES and kind == role:
        return Column(found["name"], role, found["space"] or "")
    if plain in _WHOLE | _PARTS | _TRUTH | _WORDS | _CODES and found["name"]:
        return Column(found["name"], plain, is_list=bool(found["list"]))
    return Column(name)


def _columns(header: TableHeader, roles: Mapping[str, str]) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for name in header.names:
        column = column_of(name)
        is_plain = column.type not in _ROLES and name in roles
        columns[name] = Column("", roles[name]) if is_plain else column
    return columns


def _cells_of(columns: Mapping[str, Column], role: str, row: Mapping[str, object]) -> list[str]:
    return [str(row[name]) for name, column in columns.items() if column.type == role and name in row]


def _id_of(columns: Mapping[str, Column], role: str, row: Mapping[str, object], place: Place) -> str:
    name, column = next((name, column) for name, column in columns.items() if column.type == role)
    value = str(row.get(name, ""))
    if not value.strip():
        raise place.broken(f"has no {name or role}", remedy="Add one, or leave the line out.")
    return f"{column.space}:{value}" if column.space else value


def _values(columns: Mapping[str, Column], row: Mapping[str, object], place: Place) -> dict[str, object]:
    values: dict[str, object] = {}
    for name, column in columns.items():
        if name in row and column.type not in _ROLES:
            cell = str(row[name])
            parts = cell.split(_BETWEEN) if column.is_list else [cell]
            try:
                typed = [_typed(part, column.type) for part in parts]
            except ValueError as error:
                raise place.broken(
                    f"its {column.name} is {cell[:SHOWN_CHARACTERS]!r}, not of the type {column.type}",
                    remedy=f"Correct it, or name the column {column.name!r} without a type.",
                ) from error
            values[column.name] = typed if column.is_list else typed[0]
    return values


def _typed(cell: str, kind: str) -> object:
    if kind in _WHOLE:
        return int(cell)
    if kind in _PARTS:
        return float(cell)
    if kind in _TRUTH:
        return cell.strip().lower() == "true"
    return cell
