"""The subgraphs that T-Retriever finds, as parts of the evidence. Pure functions."""

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
"""Of the text of a part, on the average at most: four such fit into their share of a context."""
MOST_PART_TOKENS = 2 * _PART_TOKENS
"""Of a part that takes what others leave."""
_NODE_SHARE = 0.75
"""Of these tokens, what summary and vertices may take before edges."""
_LONGEST_PART_NAME_CHARACTERS = 100
_LONGEST_PART_SUMMARY_CHARACTERS = 160
LONGEST_VERTEX_TEXT_CHARACTERS, LONGEST_LONE_VERTEX_TEXT_CHARACTERS = 120, 240
_LONGEST_PART_EDGE_CHARACTERS = 120
"""Characters of a name, of a summary, of what is said of one vertex among others or alone, and of an edge."""
_MOST_EDGES_OF_A_PART = 12
"""Of a part; the others are counted."""
PASSAGES_OF_A_SUMMARY = 3
"""Passages that a summary stands on: the evidence carries all of them."""
_DOCUMENT_CHARACTERS = 300  # of what is shown of a document
_NAME_CHARACTERS = 200  # of what is shown of a name
_EDGE_CHARACTERS = 160
"""Of what is shown of a document, of a name, and of an edge between names."""

Documents = Mapping[str, str]
"""The document of each passage that exists, by ids."""


class Member(NamedTuple):
    """A vertex of a set.

    Attributes:
        id: of the document or the entity.
        cosine: of its leaf to the question.
    """

    id: str
    name: str
    cosine: float


@dataclass(frozen=True, slots=True)
class FoundSet:
    """A node of the tree near the question: a set of vertices, or one with its neighbours.

    Attributes:
        is_set: False for a single vertex, whose name is the title, whatever its neighbours.
        cosine: to the question.
        title, summary: "" for a single vertex, and where the summary was deleted with a passage.
        chunks: ids of the passages that the summary stands on, the most important first.
        seen: how many vertices were looked at.
        members: those of them that are nearest to the question, the nearest first.
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
        """Its title, or the names of its vertices."""
        if self.title:
            return on_one_line(self.title)
        names = [_name(member.name) for member in self.members[:2]]
        return f"{', '.join(names)} and others" if self.size > len(names) else " and ".join(names)


@dataclass(frozen=True, slots=True)
class SubgraphVertex:
    """A vertex of a subgraph.

    Attributes:
        id: of the document or the entity.
        text: what is said of it, "" for nothing.
        chunks: the ids of the passages that the text is taken from.
    """

    id: str
    name: str
    text: str
    chunks: tuple[str, ...]


class FoundEdge(NamedTuple):
    """An edge between two vertices.

    Attributes:
        source, target: ids.
        type: of a link, "" where links have no types; "" between entities, whose edges have no direction.
        text: of a link.
        chunks: the ids of the passages that state an edge between entities.
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
    """An edge of a subgraph. Between documents it leads from `source` to `target`, both of which are names.

    Attributes:
        text: of the link; of an edge between entities a sentence that states it. "" where nothing is said.
        chunks: the ids of the passages that the text is taken from; none for a link.
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
    """A set of vertices near the question, with the edges between them. A vertex is in the first part alone that it
    belongs to, an edge between two parts in the later one.

    Attributes:
        community: the id of the set in the graph, "" for a single vertex.
        level: of the set in its tree, from 1, the coarsest.
        size: how many vertices the set has.
        heading: what it is about, whole, where `title` may be cut.
        summary: of the whole set; "" where there is none.
        vertices: those nearest to the question.
        more_edges: how many more there are between vertices of the parts.
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
    """The share of a set in the union of all (Eq. 13).

    Attributes:
        members: its vertices that no set before it has.
        edges: the strongest ones between these, and from these to vertices of sets before it.
        more: how many more edges there are.
    """

    of: FoundSet
    members: Sequence[Member]
    edges: Sequence[FoundEdge]
    more: int


def divided(found: Iterable[FoundSet], edges: Iterable[FoundEdge], asked: AskedWords) -> list[Subgraph]:
    """The union of the subgraphs, in parts: each vertex in the first set that has it, each edge in the later one of its
    ends' sets; those first whose types or texts have words of the question, then those nearest to it.

    A set that adds no vertex is left out, unless it is larger than what was read of it, for its summary then speaks of
    others, too.
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
    """The subgraphs as parts; without those of which every passage is gone. What short ones leave of the room is shared
    among the others.

    Args:
        vertices: by id; those of which every passage is gone are not there.
        edges: likewise, by what was found.
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
    """Texts of `_PART_TOKENS` on the average, if so many have that much to say: what short ones leave is shared equally
    among the others.

    Args:
        texts: give themselves within so many tokens.
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
    """Title, summary, vertices and edges, as many as fit into so many tokens. A sentence stands there once."""
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
    """The first lines that fit, in their shorter forms where the longer ones do not, and their tokens.

    Args:
        lines: each in a longer and a shorter form.
    """
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
    """With what it says, where no vertex says that, too, and its ends alone."""
    ends = f"- {_name(edge.source)} {'—' if edge.chunks else '→'} {_name(edge.target)}"
    text = shortened(edge.text, _LONGEST_PART_EDGE_CHARACTERS) if _new(edge.text, shown) else ""
    detail = ", ".join(filter(None, (on_one_line(edge.type), text)))
    return f"{ends}: {detail}" if detail else ends, ends


def _new(text: str, shown: Iterable[str]) -> bool:
    """Whether a text, maybe cut, is no part of what was said already."""
    words = text.strip("… ")
    return bool(words) and not any(words in each for each in shown)


def _name(name: str) -> str:
    return shortened(name, _LONGEST_PART_NAME_CHARACTERS) or "(no title)"


@dataclass(frozen=True, slots=True)
class SearchedPassages:
    """Passages whose sentences are looked through.

    Attributes:
        rows: of `retrieve/chunks_by_id`, by id.
    """

    rows: Mapping[str, Row]
    _folded: dict[str, Sequence[tuple[str, str]]] = field(default_factory=dict[str, "Sequence[tuple[str, str]]"])

    def beginning(self, chunk: str) -> str:
        """Of a passage, on one line."""
        return shortened(cleaned(content(self.rows[chunk])), _DOCUMENT_CHARACTERS)

    def on(self, name: str, chunk: str) -> str:
        """What a passage says of a name: the first sentence that says it, else the first that is not only a name."""
        sentences = self._sentences(chunk)
        found = next(
            (sentence for sentence, folded in sentences if _mentions(folded, name) and fold(name) != folded), ""
        )
        return around(found or (sentences[0][0] if sentences else ""), name, _NAME_CHARACTERS)

    def between(self, one: str, other: str, chunks: Sequence[str]) -> tuple[str, str]:
        """What passages say of two names, and the id of the passage that says it: the first sentence that says both,
        else the first that says one of them, else "".

        Args:
            chunks: ids, the most important first; passages without a row are gone.

        Returns:
            Two empty strings where none of the passages is there.
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
        """The sentences of a passage on one line, as they stand and folded."""
        if chunk not in self._folded:
            self._folded[chunk] = list(_folded(self.rows[chunk]))
        return self._folded[chunk]


def _folded(row: Row) -> Iterator[tuple[str, str]]:
    for sentence in sentence_texts(content(row), row["sentences"]):
        if line := cleaned(sentence):
            yield line, fold(line)


def _mentions(folded: str, name: str) -> bool:
    """Whether a sentence has a name as whole words."""
    wanted = fold(name)
    at = folded.find(wanted) if wanted else -1
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(wanted) : at + len(wanted) + 1]
        if not before.isalnum() and not after.isalnum():
            return True
        at = folded.find(wanted, at + 1)
    return False
