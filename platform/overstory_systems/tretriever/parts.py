"""Converts the subgraphs that T-Retriever finds to parts of the evidence. Pure functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from overstory.display import around, counted, on_one_line, shortened
from overstory.graph.client import Row
from overstory.model import Part
from overstory.model.documents import PLURAL, Unit
from overstory.model.parts import PartKind
from overstory.model.passage_text import count_at_most
from overstory.retrieve.hits import content
from overstory.systems.entity_graph.descriptions import cleaned
from overstory.text.names.keys import fold
from overstory.text.questions.asked_words import AskedWords
from overstory.text.sentences import sentence_texts

_PART_TOKENS = 300
"""Maximum average number of tokens per part. Four such parts fit into their share of a context."""
MOST_PART_TOKENS = 2 * _PART_TOKENS
"""Maximum number of tokens of a part that uses room left by shorter parts."""
_NODE_SHARE = 0.75
"""Fraction of a part's tokens that are available to the summary and vertices; edges use the rest."""
_LONGEST_PART_NAME_CHARACTERS = 100
_LONGEST_PART_SUMMARY_CHARACTERS = 160
LONGEST_VERTEX_TEXT_CHARACTERS, LONGEST_LONE_VERTEX_TEXT_CHARACTERS = 120, 240
_LONGEST_PART_EDGE_CHARACTERS = 120
"""Maximum characters of a part's name and summary, a vertex's text (among others, or alone), and an edge."""
_MOST_EDGES_OF_A_PART = 12
"""Maximum number of edges shown in a part. Further edges are only counted."""
PASSAGES_OF_A_SUMMARY = 3
"""Maximum number of passages cited for a summary. The evidence contains all of them."""
_DOCUMENT_CHARACTERS = 300  # maximum length of a document's beginning
_NAME_CHARACTERS = 200  # maximum length of a sentence about an entity
_EDGE_CHARACTERS = 160
"""Maximum number of characters of an edge between entities."""

Documents = Mapping[str, str]
"""Maps the id of each existing passage to the id of its document."""


class Member(NamedTuple):
    """A vertex of a set.

    Attributes:
        id: Id of the document or entity.
        cosine: Cosine between the vertex's leaf and the question.
    """

    id: str
    name: str
    cosine: float


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A tree node near the question: a set of vertices, or a single vertex with its neighbours.

    Attributes:
        is_set: False for a single vertex.
        size: Number of vertices. For a single vertex, its neighbours count, too.
        cosine: Cosine between the node and the question.
        title: Name of a single vertex; title of a set, "" if its summary was deleted with a passage.
        summary: "" for a single vertex, or if the summary was deleted with a passage.
        chunks: Ids of the passages that support the summary, the most important first.
        seen: Number of vertices that were compared with the question.
        members: The vertices nearest to the question, the nearest first.
    """

    id: str
    is_set: bool
    level: int
    size: int
    cosine: float
    title: str
    summary: str
    chunks: Sequence[str]
    seen: int
    members: Sequence[Member]

    @property
    def heading(self) -> str:
        """The title or, without a title, the names of the first vertices."""
        if self.title:
            return on_one_line(self.title)
        names = [_name(member.name) for member in self.members[:2]]
        return f"{', '.join(names)} and others" if self.size > len(names) else " and ".join(names)


@dataclass(frozen=True, slots=True)
class SubgraphVertex:
    """A vertex of a subgraph.

    Attributes:
        id: Id of the document or entity.
        text: Text of the vertex. May be "".
        chunks: Ids of the passages that contain the text.
    """

    id: str
    name: str
    text: str
    chunks: tuple[str, ...]


class FoundEdge(NamedTuple):
    """An edge between two vertices.

    Attributes:
        source, target: Ids of the vertices.
        type: Type of the link, may be "". Always "" between entities, whose edges have no direction.
        text: Text of the link.
        chunks: Ids of the passages that state an edge between entities.
    """

    source: str
    target: str
    type: str
    text: str
    weight: float
    chunks: tuple[str, ...]

    @property
    def ends(self) -> tuple[str, str]:
        return self.source, self.target


@dataclass(frozen=True, slots=True)
class SubgraphEdge:
    """An edge of a subgraph, with the names of its ends. Between documents, it leads from `source` to `target`.

    Attributes:
        text: Text of the link, or a sentence that states the edge between entities. May be "".
        chunks: Ids of the passages that contain the text. Empty for a link.
    """

    source_id: str
    target_id: str
    source: str
    target: str
    type: str
    text: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SubgraphPart(Part):
    """A set of vertices near the question, with the edges between them.

    A vertex that belongs to several parts is shown in the first of them. An edge between two parts is shown in the
    later one.

    Attributes:
        community: Id of the set in the graph, "" for a single vertex.
        level: Level of the set in its tree. Level 1 is the coarsest.
        size: Number of vertices in the set.
        heading: The full title; `title` may be cut.
        summary: Summary of all vertices of the set. May be "".
        vertices: The vertices nearest to the question.
        more_edges: Number of edges between vertices of the parts that are not shown.
    """

    kind: PartKind = field(default="subgraph", init=False)
    community: str
    level: int
    size: int
    heading: str
    summary: str
    vertices: tuple[SubgraphVertex, ...]
    edges: tuple[SubgraphEdge, ...]
    more_edges: int

    @property
    def standing(self) -> Mapping[str, str] | None:
        if not self.community or not all(vertex.chunks for vertex in self.vertices):
            return None
        return {"systems/tree/stands_on": self.community}


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The portion of one set in the union of all sets (Eq. 13).

    Attributes:
        members: Vertices that belong to no earlier set.
        edges: The strongest edges among these vertices and from them to vertices of earlier sets.
        more: Number of further edges.
    """

    of: FoundSet
    members: Sequence[Member]
    edges: Sequence[FoundEdge]
    more: int


def divided(found: Iterable[FoundSet], edges: Iterable[FoundEdge], asked: AskedWords) -> list[Subgraph]:
    """Divide the union of the sets into one subgraph per set.

    A vertex goes to the first set that contains it, and an edge to the later of its ends' sets. Edges are sorted by the
    words that they share with the question, then by the cosines of their ends.

    A set without new vertices is dropped, unless it has a summary and also contains vertices that were not read,
    because the summary then covers these vertices, too.
    """
    kept: list[tuple[FoundSet, list[Member]]] = []
    place: dict[str, int] = {}
    near: dict[str, float] = {}
    for each in found:
        new = [member for member in each.members if member.id not in place]
        if new or (each.summary and each.size > len(each.members)):
            place |= {member.id: len(kept) for member in new}
            near |= {member.id: member.cosine for member in new}
            kept.append((each, new))
    of: list[list[FoundEdge]] = [[] for _ in kept]
    for edge in edges:
        if edge.source in place and edge.target in place:
            of[max(place[edge.source], place[edge.target])].append(edge)
    for inside in of:
        inside.sort(
            key=lambda one: (
                -len(asked.found_in(one.type.replace("_", " "), one.text)),
                -near[one.source] - near[one.target],
                -one.weight,
                one.source,
                one.target,
            )
        )
    return [
        Subgraph(each, members, inside[:_MOST_EDGES_OF_A_PART], max(0, len(inside) - _MOST_EDGES_OF_A_PART))
        for (each, members), inside in zip(kept, of, strict=True)
    ]


def subgraph_parts(
    subgraphs: Iterable[Subgraph],
    vertices: Mapping[str, SubgraphVertex],
    edges: Mapping[FoundEdge, SubgraphEdge],
    documents: Documents,
    unit: Unit,
) -> Iterator[SubgraphPart]:
    """Convert subgraphs to parts, skipping subgraphs without existing passages.

    Long parts can use the room that short parts leave.

    Args:
        vertices: Vertices with an existing passage, by id.
        edges: The edge to show for each edge found, if its passages exist.
    """
    written: list[tuple[SubgraphPart, Callable[[int], str]]] = []
    for each in subgraphs:
        of = each.of
        here = tuple(vertices[member.id] for member in each.members if member.id in vertices)
        between = tuple(edges[edge] for edge in each.edges if edge in edges)
        of_summary = [chunk for chunk in of.chunks if chunk in documents][:PASSAGES_OF_A_SUMMARY] if of.summary else []
        stated = [*(one.chunks for one in here), *(one.chunks for one in between), of_summary]
        chunks = tuple(dict.fromkeys(chunk for one in stated for chunk in one if chunk in documents))
        if not chunks:
            continue
        part = SubgraphPart(
            text="",
            score=of.cosine,
            chunks=chunks,
            documents=tuple(dict.fromkeys(documents[chunk] for chunk in chunks)),
            community=of.id if of.is_set else "",
            level=of.level,
            size=of.size,
            heading=of.heading,
            summary=of.summary,
            vertices=here,
            edges=between,
            more_edges=each.more,
        )
        lines = functools.partial(_lines, of, here, between, each.more, unit)

        def text(tokens: int, lines: Callable[[int], Iterator[str]] = lines) -> str:
            return "\n".join(lines(tokens))

        written.append((part, text))
    for (part, _), fitted in zip(written, sharing_room([text for _, text in written]), strict=True):
        yield replace(part, text=fitted)


def sharing_room(texts: Sequence[Callable[[int], str]]) -> list[str]:
    """Return texts of `_PART_TOKENS` tokens on average. Room left by short texts is divided among the others.

    Args:
        texts: Functions that return a text with at most the given number of tokens.
    """
    written = [text(MOST_PART_TOKENS) for text in texts]
    needs = [count_at_most(text) for text in written]
    left = _PART_TOKENS * len(texts)
    for others, at in enumerate(sorted(range(len(texts)), key=needs.__getitem__)):
        share = left // (len(texts) - others)
        if needs[at] > share:
            written[at] = texts[at](share)
        left -= min(needs[at], share)
    return written


def _lines(
    of: FoundSet,
    vertices: Sequence[SubgraphVertex],
    edges: Sequence[SubgraphEdge],
    more: int,
    unit: Unit,
    tokens: int,
) -> Iterator[str]:
    """Yield title, summary, vertices and edges within the token limit, without repeating sentences."""
    yield of.heading
    shown = [of.heading]
    used = count_at_most(of.heading)
    if of.summary:
        summary = shortened(of.summary, _LONGEST_PART_SUMMARY_CHARACTERS)
        used += count_at_most(summary)
        yield summary
    if of.size == 1:
        nodes = [
            (shortened(each.text, LONGEST_LONE_VERTEX_TEXT_CHARACTERS), "")
            for each in vertices
            if _new(each.text, shown)
        ]
    else:
        nodes = [(_node(each, shown), f"- {_name(each.name)}") for each in vertices]
    listed, took = _fitting(nodes, int(tokens * _NODE_SHARE) - used)
    if listed and len(listed) < of.size:
        yield f"{len(listed)} of {of.size:,} {PLURAL[unit]}:"
    yield from listed
    lines, _ = _fitting([_edge_line(each, shown) for each in edges], tokens - used - took)
    yield from lines
    if left := len(edges) - len(lines) + more:
        yield f"and {counted(left, 'more edge')}"


def _fitting(lines: Iterable[tuple[str, str]], tokens: int) -> tuple[list[str], int]:
    """Return the first lines that fit, each in the longer or shorter form, and their number of tokens."""
    taken: list[str] = []
    used = 0
    for forms in lines:
        fitting = next((form for form in forms if form and used + count_at_most(form) < tokens), None)
        if fitting is None:
            break
        taken.append(fitting)
        used += count_at_most(fitting) + 1
    return taken, used


def _node(vertex: SubgraphVertex, shown: list[str]) -> str:
    name = _name(vertex.name)
    text = shortened(vertex.text, LONGEST_VERTEX_TEXT_CHARACTERS) if _new(vertex.text, [name, *shown]) else ""
    shown.append(vertex.text)
    return f"- {name}: {text}" if text else f"- {name}"


def _edge_line(edge: SubgraphEdge, shown: list[str]) -> tuple[str, str]:
    """Return an edge in two forms: with its text, unless a vertex already shows this text, and without."""
    ends = f"- {_name(edge.source)} {'—' if edge.chunks else '→'} {_name(edge.target)}"
    text = shortened(edge.text, _LONGEST_PART_EDGE_CHARACTERS) if _new(edge.text, shown) else ""
    detail = ", ".join(filter(None, (on_one_line(edge.type), text)))
    return f"{ends}: {detail}" if detail else ends, ends


def _new(text: str, shown: Iterable[str]) -> bool:
    """Return True if a possibly shortened text is not contained in a text already shown."""
    words = text.strip("… ")
    return bool(words) and not any(words in each for each in shown)


def _name(name: str) -> str:
    return shortened(name, _LONGEST_PART_NAME_CHARACTERS) or "(no title)"


@dataclass(frozen=True, slots=True)
class SearchedPassages:
    """Finds sentences in passages. `rows` are rows of `retrieve/chunks_by_id`, by chunk id."""

    rows: Mapping[str, Row]
    _folded: dict[str, Sequence[tuple[str, str]]] = field(default_factory=dict[str, "Sequence[tuple[str, str]]"])

    def beginning(self, chunk: str) -> str:
        """Return the beginning of a passage on one line."""
        return shortened(cleaned(content(self.rows[chunk])), _DOCUMENT_CHARACTERS)

    def on(self, name: str, chunk: str) -> str:
        """Return the first sentence that mentions a name, otherwise the first sentence of the passage."""
        sentences = self._sentences(chunk)
        found = next(
            (sentence for sentence, folded in sentences if _mentions(folded, name) and fold(name) != folded), ""
        )
        return around(found or (sentences[0][0] if sentences else ""), name, _NAME_CHARACTERS)

    def between(self, one: str, other: str, chunks: Sequence[str]) -> tuple[str, str]:
        """Return a sentence that mentions both names, and the id of its passage.

        If there is none, return the first sentence that mentions one of the names, otherwise "".

        Args:
            chunks: Ids of the passages, the most important first. Passages without a row are skipped.

        Returns:
            Two empty strings if no passage has a row.
        """
        there = [chunk for chunk in chunks if chunk in self.rows]
        one_only = ("", there[0]) if there else ("", "")
        for chunk in there:
            for sentence, folded in self._sentences(chunk):
                matches = _mentions(folded, one), _mentions(folded, other)
                if all(matches):
                    return around(sentence, one, _EDGE_CHARACTERS), chunk
                if any(matches) and not one_only[0]:
                    one_only = around(sentence, one if matches[0] else other, _EDGE_CHARACTERS), chunk
        return one_only

    def _sentences(self, chunk: str) -> Sequence[tuple[str, str]]:
        """Return the sentences of a passage on one line, each as written and in folded form."""
        if chunk not in self._folded:
            self._folded[chunk] = list(_folded(self.rows[chunk]))
        return self._folded[chunk]


def _folded(row: Row) -> Iterator[tuple[str, str]]:
    for sentence in sentence_texts(content(row), row["sentences"]):
        if line := cleaned(sentence):
            yield line, fold(line)


def _mentions(folded: str, name: str) -> bool:
    """Return True if a sentence contains a name as whole words."""
    wanted = fold(name)
    at = folded.find(wanted) if wanted else -1
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = folded.find(wanted, at + 1)
    return False
