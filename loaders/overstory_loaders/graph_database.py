"""Reads graphs from a Neo4j database.

A source looks like this: `neo4j:Movie?key=title&text=title,tagline;Person?key=name;[ACTED_IN]?text=roles`. For each
label it names the property that is the key of the nodes, and optionally the properties for their text and title. The
names in brackets are the relationship types to read. If there are none, all types are read.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import unquote

from overstory.display import counted
from overstory.errors import AuthenticationFailed, BrokenSource, DatabaseError
from overstory.model import Document, Link
from overstory.protocols import OnBroken
from overstory.settings import Settings
from overstory_loaders.graph_records import WEIGHT, Edge, Vertex, graph_items
from overstory_loaders.place import Place

if TYPE_CHECKING:  # importing the driver takes 0.1 s, which few sources need
    from overstory.graph import GraphClient
    from overstory.graph.foreign import ForeignNode

PREFIX = "neo4j:"
EXAMPLE = "neo4j:Movie?key=title&text=title,tagline;Person?key=name"
NODE_OPTIONS = ("key", "text", "title")
EDGE_OPTIONS = ("text", "weight")
_MOST_LABELS_NAMED = 5
_LEAST_LABEL_LIKENESS = 0.6
"""Minimum similarity (`difflib`) of a label that is suggested instead of a misspelled label."""
_MOST_KEY_NODES_COMPARED = 10_000
"""Maximum number of nodes that are compared to find properties with unique values."""


@dataclass(frozen=True, slots=True)
class NodeChoice:
    """Options for reading the nodes with a label. If `texts` is None, the text properties are chosen automatically."""

    label: str
    key: str
    texts: tuple[str, ...] | None
    title: str

    @property
    def address(self) -> str:
        """Value of `Document.source` for these nodes. It depends only on the label, not on the server or the user."""
        return PREFIX + self.label


@dataclass(frozen=True, slots=True)
class EdgeChoice:
    """Options for reading the relationships of a type. If `texts` is None, text properties are chosen automatically."""

    texts: tuple[str, ...] | None
    weight: str


@dataclass(frozen=True, slots=True)
class GraphChoice:
    """The parts of a database to read.

    Attributes:
        nodes: options for each label, in the given order.
        edges: options by relationship type. If it is empty, all types are read.
    """

    nodes: tuple[NodeChoice, ...]
    edges: Mapping[str, EdgeChoice]


def is_graph_database(source: str) -> bool:
    """Return True if a source names a graph in a database; False for a server's address, such as "neo4j://host"."""
    return source.startswith(PREFIX) and not source.startswith(f"{PREFIX}//")


def read_choice(source: str) -> GraphChoice:
    """Return the labels and relationship types that a source names.

    Raises:
        BrokenSource: the source does not have the form described at the top of this module.
    """
    nodes: dict[str, NodeChoice] = {}
    edges: dict[str, EdgeChoice] = {}
    for part in source.removeprefix(PREFIX).split(";"):
        name, _, given = part.partition("?")
        label = unquote(name).strip()
        if label.startswith("[") and label.endswith("]"):
            options = _options(source, label, given, EDGE_OPTIONS)
            edges[label[1:-1]] = EdgeChoice(_names(options.get("text")), unquote(options.get("weight", WEIGHT)))
            continue
        options = _options(source, label, given, NODE_OPTIONS)
        key = unquote(options.get("key", ""))
        if not label or not key or label in nodes:
            what = (
                f"names {label!r} twice" if label in nodes else f"names no key for {label!r}" if label else "is empty"
            )
            raise _invalid(source, what)
        nodes[label] = NodeChoice(label, key, _names(options.get("text")), unquote(options.get("title", "")))
    if not nodes:
        raise _invalid(source, "names no label")
    return GraphChoice(tuple(nodes.values()), edges)


def database_items(source: str, settings: Settings, on_broken: OnBroken) -> Iterator[Document | Link]:
    """Yield a document for each node with a chosen label, then a link for each relationship between such nodes."""
    choice = read_choice(source)
    with _open(source, settings) as graph:
        try:
            vertices = _vertices(graph, choice, on_broken)
            first = next(vertices, None)
            if first is not None:  # if it is None, an error was reported for each label
                yield from graph_items(source, "", chain([first], vertices), _edges(graph, choice), on_broken)
        except DatabaseError as error:
            raise _unreadable(source, error) from error


def _open(source: str, settings: Settings) -> GraphClient:
    from overstory.graph import GraphClient

    if settings.source.uri is None:
        return GraphClient.open_source(settings)
    try:
        return GraphClient.open_source(settings)
    except DatabaseError as error:
        raise _unreadable(source, error) from error


def _unreadable(source: str, error: DatabaseError) -> BrokenSource:
    """Convert a database error. The database address at the beginning of the driver's message is removed."""
    if isinstance(error, AuthenticationFailed):
        return BrokenSource(
            "the database refused the user or the password",
            source=source,
            remedy="Set OVERSTORY_SOURCE_NEO4J_USER and OVERSTORY_SOURCE_NEO4J_PASSWORD, or …_PASSWORD_FILE.",
        )
    return BrokenSource(
        f"the database cannot be read: {str(error).partition(': ')[2] or error}",
        source=source,
        remedy="Check that it runs, and its address: --from-uri or OVERSTORY_SOURCE_NEO4J_URI.",
    )


def _vertices(graph: GraphClient, choice: GraphChoice, on_broken: OnBroken) -> Iterator[Vertex]:
    from overstory.graph.foreign import foreign_nodes

    before: list[str] = []
    for chosen in choice.nodes:
        number = keyless = 0
        for node in foreign_nodes(graph, chosen.label, key=chosen.key, before=before):
            number += 1
            place = Place(chosen.address, record=number)
            if node.key is None:
                keyless += 1
            elif isinstance(node.key, list):
                on_broken(place.broken(f"its {chosen.key} is a list", remedy="Choose another property as the key."))
            else:
                yield _vertex(chosen, node, place)
        if not number:
            on_broken(_without_nodes(graph, chosen))
        if keyless:
            on_broken(
                BrokenSource(
                    f"{keyless:,} of {counted(number, 'node')} with the label {chosen.label!r} "
                    f"{'has' if keyless == 1 else 'have'} no property {chosen.key!r}",
                    source=chosen.address,
                    remedy=_other_keys(graph, chosen),
                )
            )
        before.append(chosen.label)


def _without_nodes(graph: GraphClient, chosen: NodeChoice) -> BrokenSource:
    from overstory.graph.foreign import foreign_labels

    labels = foreign_labels(graph)
    near = (
        difflib.get_close_matches(chosen.label, labels, n=_MOST_LABELS_NAMED, cutoff=_LEAST_LABEL_LIKENESS)
        or labels[:_MOST_LABELS_NAMED]
    )
    others = len(labels) - len(near)
    known = ", ".join(near) + (f" and {others:,} more" if others else "")
    remedy = f"Check the name: there are {known}." if len(labels) > 1 else f"Check the name: there is {known}."
    return BrokenSource(
        f"no node has the label {chosen.label!r}",
        source=chosen.address,
        remedy=remedy if labels else "The database has no nodes except Overstory's own; check its address.",
    )


def _other_keys(graph: GraphClient, chosen: NodeChoice) -> str:
    """Return advice that lists the properties with unique values."""
    from overstory.graph.foreign import foreign_keys

    keys = foreign_keys(graph, chosen.label, of=_MOST_KEY_NODES_COMPARED)
    if not keys:
        return "No property of these nodes has unique values: add one."
    others = len(keys) - _MOST_LABELS_NAMED
    known = ", ".join(keys[:_MOST_LABELS_NAMED]) + (f" and {others:,} more" if others > 0 else "")
    return f"Choose a property with unique values: {known}."


def _vertex(chosen: NodeChoice, node: ForeignNode, place: Place) -> Vertex:
    return Vertex(
        place,
        _key(chosen.label, node.key),
        node.labels,
        node.values,
        texts=chosen.texts,
        title=chosen.title,
        plain_key=str(node.key),
        codes=node.codes,
        source=chosen.address,
    )


def _edges(graph: GraphClient, choice: GraphChoice) -> Iterator[Edge]:
    from overstory.graph.foreign import foreign_relationships

    keys = {chosen.label: chosen.key for chosen in choice.nodes}
    addresses = {chosen.label: chosen.address for chosen in choice.nodes}
    everything = EdgeChoice(None, WEIGHT)
    before: list[str] = []
    for chosen in choice.nodes:
        found = foreign_relationships(graph, chosen.label, keys=keys, before=before, types=list(choice.edges))
        for number, each in enumerate(found, start=1):
            if each.start is None or each.end is None or isinstance(each.start, list) or isinstance(each.end, list):
                continue  # an error has been reported for the node without a valid key
            read = choice.edges.get(each.type, everything)
            yield Edge(
                Place(chosen.address, record=number),
                _key(chosen.label, each.start),
                _key(each.target, each.end),
                each.type,
                each.values,
                texts=read.texts,
                weight=read.weight,
                source=chosen.address,
                target_source=addresses[each.target],
            )
        before.append(chosen.label)


def _key(label: str, value: object) -> str:
    """Return the document key for a node. The label distinguishes it from nodes of other labels with the same value."""
    return f"{label}:{value}"


def _options(source: str, label: str, given: str, known: tuple[str, ...]) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in given.split("&") if given else ():
        name, separator, value = part.partition("=")
        if name not in known or not separator:
            raise _invalid(source, f"has {part!r} for {label!r}, which may have {', '.join(f'{k}=' for k in known)}")
        options[name] = value
    return options


def _names(listed: str | None) -> tuple[str, ...] | None:
    if listed is None:
        return None
    return tuple(name for each in listed.split(",") if (name := unquote(each).strip()))


def _invalid(source: str, what: str) -> BrokenSource:
    return BrokenSource(what, source=source, remedy=f"Write it like this, in quotes: '{EXAMPLE}'")
