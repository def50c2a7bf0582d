"""Graphs: each vertex becomes a document, each edge a link between two of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from overstory.errors import BrokenSource
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory.settings import Settings
from overstory_loaders.files import address, has_suffix, is_folder
from overstory_loaders.graph_database import database_items, is_graph_database, read_choice
from overstory_loaders.graph_json import graph_lines, is_graph_lines, line_edges, line_vertices
from overstory_loaders.graph_records import graph_items
from overstory_loaders.graph_tables import graph_files, is_table_of_graph, table_edges, table_vertices
from overstory_loaders.graphml import SUFFIXES, graphml_edges, graphml_vertices


class GraphLoader:
    """A folder with nodes.csv and edges.csv (or .jsonl), JSON lines of nodes and edges, a GraphML file, or a Neo4j
    database."""

    name = "graph"

    def __init__(self, settings: Settings | None = None) -> None:
        """`settings` say which database is read; those of the environment if left out."""
        self._settings = settings

    def with_settings(self, settings: Settings) -> GraphLoader:
        return GraphLoader(settings)

    def is_database(self, source: str) -> bool:
        """Whether a source is `neo4j:` and labels, and no path."""
        return is_graph_database(source)

    def namespaces(self, source: str) -> Sequence[str]:
        """`Document.source` of the nodes of each label that a source names."""
        return [chosen.address for chosen in read_choice(source).nodes]

    def recognises(self, source: str) -> bool:
        """A folder by its files and their first lines, GraphML by name, JSON lines by the first record, a database by
        `neo4j:`."""
        if self.is_database(source):
            return True
        if is_folder(source):
            return graph_files(source) is not None or graph_lines(source) is not None
        return has_suffix(source, SUFFIXES) or is_table_of_graph(source) or is_graph_lines(source)

    def load(self, source: str, *, on_broken: OnBroken) -> Iterator[Document | Link]:
        """A document per vertex, whose key is the vertex' id, then a link per edge. Files are read twice if they hold
        both."""
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
            "is no folder of a graph: it has no nodes.csv and edges.csv with ids in their headers",
            source=source,
            remedy="Name the folder that has them; docs/loaders.md shows the headers.",
        )
    yield from graph_items(source, address(source), vertices, edges, on_broken)
