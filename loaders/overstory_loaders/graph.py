"""Loads graphs. Each vertex becomes a document, and each edge becomes a link between two documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory.settings import Settings
from overstory_loaders.files import address, empty, has_suffix, is_folder, open_bytes, reading
from overstory_loaders.graph_database import database_items, is_graph_database, read_choice
from overstory_loaders.graph_json import graph_lines, is_graph_lines, line_edges, line_vertices
from overstory_loaders.graph_records import LABELS, Edge, Vertex, graph_items
from overstory_loaders.graph_tables import graph_files, is_table_of_graph, table_edges, table_vertices
from overstory_loaders.place import Place
from overstory_loaders.text_encoding import LINE_CHARACTER_LIMIT
from overstory_loaders.xml_reader import XmlReader, local_name

SUFFIXES = (".graphml",)
NODE_KIND = "node"
EDGE_KIND = "edge"
TYPE = "label"


@dataclass(frozen=True, slots=True)
class _Key:
    """A `<key>` element, which declares the name and the type of a property."""

    name: str
    type: str


@dataclass(slots=True)
class _Element:
    kind: str
    attributes: Mapping[str, str]
    line: int
    values: dict[str, object] = field(default_factory=dict[str, object])


def graphml_vertices(source: str, on_broken: OnBroken) -> Iterator[Vertex]:
    """Yield the vertices of a GraphML file, lazily."""
    for element in _ElementReader(source, NODE_KIND, on_broken).elements():
        place = Place(source, element.line)
        key = element.attributes.get("id", "")
        if not key.strip():
            on_broken(place.broken("a node has no id", remedy="Add one, or leave the node out."))
            continue
        declared = element.attributes.get(LABELS) or element.values.pop(LABELS, "")
        labels = [label for label in str(declared).split(":") if label.strip()]
        yield Vertex(place, key, labels, element.values)


def graphml_edges(source: str, on_broken: OnBroken) -> Iterator[Edge]:
    """Yield the edges of a GraphML file, lazily."""
    for element in _ElementReader(source, EDGE_KIND, on_broken).elements():
        place = Place(source, element.line)
        start, end = element.attributes.get("source", ""), element.attributes.get("target", "")
        if not (start.strip() and end.strip()):
            on_broken(place.broken("an edge has no source or no target", remedy="Add both, or leave the edge out."))
            continue
        type_ = element.attributes.get(TYPE) or element.values.pop(TYPE, "")
        yield Edge(place, start, end, str(type_), element.values)


class _ElementReader:
    def __init__(self, source: str, kind: str, on_broken: OnBroken) -> None:
        self._source = source
        self._kind = kind
        self._on_broken = on_broken
        self._xml = XmlReader(source, start=self._start, end=self._end, characters=self._characters)
        self._keys: dict[str, _Key] = {}
        self._open: list[_Element] = []
        self._data: str | None = None
        self._text: list[str] = []
        self._length = 0
        self._ready: list[_Element] = []
        self._is_graphml = False

    def elements(self) -> Iterator[_Element]:
        with open_bytes(self._source) as stream, reading(self._source):
            is_empty = True
            for anything in self._xml.read(stream):
                is_empty = not anything
                ready, self._ready = self._ready, []
                yield from ready
            if is_empty:
                raise empty(self._source)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        tag = local_name(name)
        if not self._is_graphml:
            if tag != "graphml":
                raise self._xml.broken(f"is not GraphML: its first element is <{tag}>", remedy="Check the file.")
            self._is_graphml = True
        if tag == "key":
            declared = _Key(attributes.get("attr.name") or attributes.get("id", ""), attributes.get("attr.type", ""))
            self._keys[attributes.get("id", "")] = declared
        elif tag == "hyperedge" and self._kind == EDGE_KIND:
            self._on_broken(
                self._xml.broken("a hyperedge has more than two ends", remedy="Convert it to edges, or leave it out.")
            )
        elif tag in (NODE_KIND, EDGE_KIND):
            self._open.append(_Element(tag, dict(attributes), self._xml.line))
        elif tag == "data" and self._open:
            self._data, self._length = attributes.get("key", ""), 0
            self._text.clear()

    def _characters(self, text: str) -> None:
        if self._data is None:
            return
        self._length += len(text)
        if self._length > LINE_CHARACTER_LIMIT:
            raise self._xml.broken(f"has a text of more than {LINE_CHARACTER_LIMIT // 2**20} MiB", remedy="Shorten it.")
        self._text.append(text)

    def _end(self, name: str) -> None:
        tag = local_name(name)
        if tag == "data" and self._data is not None and self._open:
            self._put(self._open[-1], self._data, "".join(self._text))
            self._data = None
        elif tag in (NODE_KIND, EDGE_KIND) and self._open:
            element = self._open.pop()
            if element.kind == self._kind:
                self._ready.append(element)

    def _put(self, element: _Element, key: str, text: str) -> None:
        if element.kind != self._kind or not text.strip():
            return
        declared = self._keys.get(key, _Key(key, "string"))
        try:
            element.values[declared.name] = _typed(text, declared.type)
        except ValueError:
            place = Place(self._source, element.line)
            self._on_broken(
                place.broken(
                    f"its {declared.name} is {text.strip()[:200]!r}, not of the type {declared.type}",
                    remedy="Correct it, or declare another type.",
                )
            )


def _typed(text: str, kind: str) -> object:
    match kind:
        case "int" | "long":
            return int(text)
        case "float" | "double":
            return float(text)
        case "boolean":
            return text.strip().lower() == "true"
        case _:
            return text


class GraphLoader:
    """Loader for graphs in a folder, in a GraphML or JSON Lines file, or in a Neo4j database.

    A folder must contain node files and edge files, such as `nodes.csv` and `edges.csv`.
    """

    name = "graph"

    def __init__(self, settings: Settings | None = None) -> None:
        """Create a loader that connects to databases with `settings`, by default those in the environment."""
        self._settings = settings

    def with_settings(self, settings: Settings) -> GraphLoader:
        return GraphLoader(settings)

    def is_database(self, source: str) -> bool:
        """Return True if a source begins with "neo4j:" but is not the address of a server, such as "neo4j://host"."""
        return is_graph_database(source)

    def namespaces(self, source: str) -> Sequence[str]:
        """Return the value of `Document.source` for each label that a source names."""
        return [chosen.address for chosen in read_choice(source).nodes]

    def recognises(self, source: str) -> bool:
        """Return True for a folder with graph files, a GraphML file, a JSON Lines file with a graph, and "neo4j:…"."""
        if self.is_database(source):
            return True
        if is_folder(source):
            return graph_files(source) is not None or graph_lines(source) is not None
        return has_suffix(source, SUFFIXES) or is_table_of_graph(source) or is_graph_lines(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """Yield a document for each vertex, with the vertex id as its key, then a link for each edge.

        A file that contains both vertices and edges is read twice.
        """
        if self.is_database(source):
            yield from database_items(source, self._settings or Settings.from_environment(), on_broken)
        elif is_folder(source):
            yield from _folder(source, on_broken)
        elif has_suffix(source, SUFFIXES):
            vertices, edges = graphml_vertices(source, on_broken), graphml_edges(source, on_broken)
            yield from graph_items(source, address(source), vertices, edges, on_broken)
        else:
            vertices = line_vertices([source], on_broken)
            edges = line_edges([source], all_are=False, on_broken=on_broken)
            yield from graph_items(source, address(source), vertices, edges, on_broken)


def _folder(source: str, on_broken: OnBroken) -> Iterator[Document | Link]:
    if (tables := graph_files(source)) is not None:
        vertices, edges = table_vertices(tables, on_broken), table_edges(tables, on_broken)
    elif (lines := graph_lines(source)) is not None:
        vertices = line_vertices(lines.nodes, on_broken)
        edges = line_edges(lines.edges, all_are=True, on_broken=on_broken)
    else:
        raise BrokenSource(
            "is not a graph folder: it has no nodes.csv and edges.csv with ids in their headers",
            source=source,
            remedy="Name the folder that contains them; docs/loaders.md shows the headers.",
        )
    yield from graph_items(source, address(source), vertices, edges, on_broken)
