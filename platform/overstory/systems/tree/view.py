"""Shows a part of a stored tree, with names and sentences that tell what each community is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from overstory.display import counted
from overstory.errors import QuestionError
from overstory.graph import Corpus, Transaction
from overstory.graph.client import Row
from overstory.model.communities import (
    Community,
    CommunityName,
    CommunityTree,
    MemberDocument,
    MemberEntity,
    MemberPassage,
)
from overstory.model.documents import PLURAL, SINGULAR, Unit
from overstory.protocols import Embedder, Vectors
from overstory.retrieve.among import Among
from overstory.retrieve.context import RetrievalContext, query_current_corpus
from overstory.retrieve.hits import chunk_rows, content
from overstory.systems.base import System
from overstory.systems.state import StaleNotes
from overstory.systems.support import SupportFilter
from overstory.systems.tree.kinds import TreeKind
from overstory.systems.tree.lookup import FoundTree, community_id, find_tree, other_trees
from overstory.text.sentences import sentence_texts
from overstory.vectors.packed import unpacked

ABOUT: Mapping[Unit, str] = {
    "chunk": "systems/tree/about_chunk",
    "document": "systems/tree/about_document",
    "entity": "systems/tree/about_entity",
}
"""Map from kinds of units to the statement that reads the members of communities."""
MOST_LEVELS_SHOWN = 10
MOST_SHOWN_BELOW = 100  # maximum number of communities, or of leaves, shown directly below a community
_MOST_NODES_SHOWN = 100  # maximum number of communities shown in total, and maximum number of leaves
_MOST_COMMUNITIES_TRIED = 2_000  # maximum number of communities that are checked against a filter
_MOST_LEAVES_READ = 1_000  # maximum number of leaves from which the names and sentences of a community are taken
MOST_MEMBERS_PAGED = 10_000  # maximum number of leaves directly below a community that users can page through
_NAMES_OF_A_COMMUNITY = 5
_SENTENCES_OF_A_COMMUNITY = 2
_KEY_SENTENCE_PASSAGES = 2  # number of passages, nearest to a community's vector, that may contain key sentences
_SENTENCES_READ = 4  # number of first sentences considered in each passage; embedding a sentence takes about 5 ms
_SHORTEST_SENTENCE_CHARACTERS = 25  # shorter ones are often headings or names, which are not informative


def view_tree(
    systems: Sequence[System[Any, Any]],
    context: RetrievalContext,
    node: str | None,
    *,
    depth: int,
    limit: int,
    first: int = 0,
    sentences: bool = True,
    tree: str = "",
    among: Callable[[Transaction, Corpus], Among] | None = None,
) -> CommunityTree:
    """Return the part of a tree below a community.

    Args:
        node: Id of the community, or enough of its first characters to be unique; None for the root.
        depth: Number of levels to show below the community.
        limit: Maximum number of communities and leaves to show directly below each community.
        first: Number of communities and leaves directly below `node` to skip.
        sentences: True to find key sentences of the communities, too. This takes most of the time.
        tree: Name of the tree; by default the first tree in the corpus.
        among: Returns the documents that match a filter. Communities that are also based on other documents are left
            out. The topmost of the remaining communities are shown directly below the root.
    """
    if not 1 <= depth <= MOST_LEVELS_SHOWN:
        raise QuestionError(
            f"depth must be between 1 and {MOST_LEVELS_SHOWN}, got {depth}.",
            remedy=f"Ask for 1 to {MOST_LEVELS_SHOWN} levels.",
        )
    if not 1 <= limit <= MOST_SHOWN_BELOW:
        raise QuestionError(
            f"limit must be between 1 and {MOST_SHOWN_BELOW}, got {limit}.",
            remedy=f"Ask for 1 to {MOST_SHOWN_BELOW} communities.",
        )
    if not 0 <= first <= MOST_MEMBERS_PAGED:
        raise QuestionError(
            f"first must be between 0 and {MOST_MEMBERS_PAGED:,}, got {first}.",
            remedy=f"Give a value from 0 to {MOST_MEMBERS_PAGED:,}.",
        )

    def ask(tx: Transaction, corpus: Corpus) -> _TreeView:
        found = find_tree(systems, corpus, tree)
        support = None if among is None else SupportFilter(among(tx, corpus))
        view = _TreeReader(tx, corpus, found, support).view(node, depth, limit, first)
        view.notes += () if tree or node else other_trees(systems, corpus, found)
        return view

    return query_current_corpus(context, "retrieve/tree", ask).as_tree(context.embedder if sentences else None)


@dataclass(slots=True)
class _TreeView:
    """The part of a tree that was read from the graph.

    Attributes:
        levels: Rows of `systems/tree/levels`, the root first.
        top: Id of the topmost community in the view.
        encodes: True if the structural entropy is shown.
        children: Map from each community to the communities shown directly below it.
        rows: Map from communities to rows of `systems/tree/communities`.
        topics: Map from communities, except the root, to rows of `systems/tree/about_…`.
        listed: Map from each community to the leaves shown directly below it, as pairs of a unit id and a similarity.
        chunks, entities, documents: Maps from unit ids to rows. Units that have been deleted are missing.
    """

    corpus: str
    kind: TreeKind
    levels: list[Row]
    top: str
    encodes: bool
    children: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    topics: dict[str, Row] = field(default_factory=dict[str, Row])
    listed: dict[str, list[tuple[str, float]]] = field(default_factory=dict[str, list[tuple[str, float]]])
    chunks: dict[str, Row] = field(default_factory=dict[str, Row])
    entities: dict[str, Row] = field(default_factory=dict[str, Row])
    documents: dict[str, Row] = field(default_factory=dict[str, Row])
    notes: list[str] = field(default_factory=list[str])

    def as_tree(self, embedder: Embedder | None) -> CommunityTree:
        sentences = {} if embedder is None else _key_sentences(self.topics, self.rows, self.chunks, embedder)
        top = self.rows[self.top]
        return CommunityTree(
            corpus=self.corpus,
            tree=self.kind.name,
            unit=self.kind.unit,
            size=self.levels[0]["size"],
            levels=tuple(row["communities"] for row in self.levels[1:] if row["communities"]),
            entropy=sum(row["entropy"] for row in self.levels) if self.encodes else None,
            above=tuple(reversed(top["above"])),
            community=self._community(self.top, sentences),
            notes=tuple(self.notes),
        )

    def _community(self, id_: str, sentences: Mapping[str, tuple[str, ...]]) -> Community:
        row = self.rows[id_]
        names = self.topics[id_]["names"] if id_ in self.topics else ()
        listed = self.listed.get(id_, ())
        return Community(
            id=id_,
            unit=self.kind.unit,
            level=row["level"],
            size=row["size"],
            entropy=row["entropy"] if self.encodes else None,
            entropy_below=row["entropy_below"] if self.encodes else None,
            inside=_inside(row) if self.encodes else None,
            names=tuple(CommunityName(name, passages) for name, passages in names),
            sentences=sentences.get(id_, ()),
            communities=tuple(self._community(each, sentences) for each in self.children.get(id_, ())),
            below=row["below"],
            leaves=row["leaves"],
            passages=tuple(self._passage(unit, near) for unit, near in listed if unit in self.chunks),
            entities=tuple(self._name(unit) for unit, _ in listed if unit in self.entities),
            documents=tuple(self._document(unit, near) for unit, near in listed if unit in self.documents),
            title=row["title"] or "",
            summary=row["summary"] or "",
        )

    def _passage(self, chunk: str, similarity: float) -> MemberPassage:
        row = self.chunks[chunk]
        fields = ("chunk_id", "document_id", "source", "source_key", "title", "heading", "text")
        return MemberPassage(**{name: row[name] for name in fields}, similarity=similarity)

    def _name(self, entity: str) -> MemberEntity:
        row = self.entities[entity]
        return MemberEntity(entity, row["name"], row["type"] or "", row["passages"])

    def _document(self, document: str, similarity: float) -> MemberDocument:
        row = self.documents[document]
        return MemberDocument(document, row["source"], row["source_key"], row["title"], row["chunks"], similarity)


@dataclass(frozen=True, slots=True)
class _TreeReader:
    tx: Transaction
    corpus: Corpus
    found: FoundTree
    support: SupportFilter | None = None

    @property
    def kind(self) -> TreeKind:
        return self.found.kind

    def view(self, node: str | None, depth: int, limit: int, first: int) -> _TreeView:
        levels = self._run("systems/tree/levels")
        if not levels:
            raise self.found.gone(self.corpus)
        root = levels[0]["root"]
        support = self.support

        def supported_only(ids: Iterable[str]) -> set[str]:
            return set(ids) if support is None else self._own(ids, support)

        own = None if support is None else supported_only
        top = root if node is None else community_id(self.tx, self.corpus, self.found, node, command="tree", own=own)
        view = _TreeView(self.corpus.name, self.kind, levels, top=top, encodes=self.kind.encodes and support is None)
        if support is None or not support.restricted:
            view.notes.extend(self._outdated())
        alone = levels[0].get("alone")
        if alone and support is None:
            are = "is" if alone == 1 else "are"
            view.notes.append(f"{counted(alone, SINGULAR[self.kind.unit])} {are} in no community")
        shown = self._shown(view, depth, limit, first)
        titled = "title" in self.kind.properties
        read = self._run("systems/tree/communities", ids=shown, whole=levels[0]["whole"], own=titled)
        rows = {row["id"]: row for row in read}
        if any(id_ not in rows for id_ in shown):
            raise self.found.gone(self.corpus)
        view.rows |= {id_: row | {"vector": _of_unit_length(row["vector"] or b"")} for id_, row in rows.items()}
        if support is not None:
            self._hide_unsupported(view, support, root)
        opened = [id_ for id_ in view.children if rows[id_]["leaves"] and id_ != root]
        self._read_topics(
            view, [id_ for id_ in shown if id_ != root], max(_KEY_SENTENCE_PASSAGES, limit if opened else 0)
        )
        if top in opened:
            self._page(view, first, limit)
        self._list_leaves(view, [id_ for id_ in opened if id_ in view.topics], limit)
        return view

    def _shown(self, view: _TreeView, depth: int, limit: int, first: int) -> list[str]:
        shown, lowest, left_out = [view.top], [view.top], 0
        for level in range(depth):
            skip = 0 if level else first
            if self.support is not None and lowest == [view.levels[0]["root"]]:
                rows = {lowest[0]: self._highest(view, lowest[0], skip + limit, self.support)[skip:]}
            else:
                rows = self._children(lowest, limit, skip)
            there = sum(map(len, rows.values()))
            room = _MOST_NODES_SHOWN - len(shown) + 1
            parents, lowest = lowest, []
            for parent in parents:
                view.children[parent] = rows.get(parent, [])[: max(0, room - len(lowest))]
                lowest += view.children[parent]
                if rows.get(parent) and not view.children[parent]:
                    del view.children[parent]  # an empty list would mean that it has no communities below it
            left_out += there - len(lowest)
            shown += lowest
            if not lowest:
                break
        if left_out:
            view.notes.append(
                f"only {_MOST_NODES_SHOWN} communities are shown; open one of them to see the communities below it"
            )
        return shown

    def _children(self, ids: Sequence[str], limit: int, skip: int = 0) -> dict[str, list[str]]:
        rows = self._run("systems/tree/children", ids=ids, skip=skip, limit=limit)
        return {row["id"]: row["communities"] for row in rows}

    def _own(self, ids: Iterable[str], support: SupportFilter) -> set[str]:
        return support.own(ids, self.kind.statement("systems/tree/stands_on"))

    def _highest(self, view: _TreeView, root: str, limit: int, support: SupportFilter) -> list[str]:
        found: list[str] = []
        waiting, tried, left_out = [root], 0, 0
        while waiting and len(found) < limit and tried < _MOST_COMMUNITIES_TRIED:
            below = self._children(waiting, _MOST_COMMUNITIES_TRIED - tried)
            listed = [id_ for parent in waiting for id_ in below.get(parent, [])][: _MOST_COMMUNITIES_TRIED - tried]
            tried += len(listed)
            own = self._own(listed, support)
            found += [id_ for id_ in listed if id_ in own]
            waiting = [id_ for id_ in listed if id_ not in own]
            left_out += len(waiting)
        view.notes.extend(support.among.notes)
        if not support.restricted:
            if left_out:
                are = "community also contains" if left_out == 1 else "communities also contain"
                view.notes.append(f"{left_out:,} {are} other documents; only the communities below are shown")
            if tried >= _MOST_COMMUNITIES_TRIED:
                view.notes.append(f"only the {_MOST_COMMUNITIES_TRIED:,} communities nearest to the top were checked")
        return found[:limit]

    def _hide_unsupported(self, view: _TreeView, support: SupportFilter, root: str) -> None:
        """Remove from the view what it reveals about other documents: the tree's size, levels and upper communities."""
        highest = view.children.get(root, [])
        size = sum(view.rows[id_]["size"] for id_ in highest) if view.top == root else view.rows[view.top]["size"]
        view.levels = [{**view.levels[0], "size": size}, *([{"communities": len(highest)}] if highest else [])]
        if view.top == root:
            view.rows[root] = {**view.rows[root], "size": size, "below": len(highest), "leaves": 0, "above": []}
        else:
            above = self._own(view.rows[view.top]["above"], support)
            view.rows[view.top]["above"] = [id_ for id_ in view.rows[view.top]["above"] if id_ in above]
            view.notes.extend(support.among.notes)

    def _read_topics(self, view: _TreeView, communities: Sequence[str], nearest: int) -> None:
        """Read the names and the nearest passages of some communities.

        Args:
            nearest: Number of passages, nearest to a community's vector, to read for it.
        """
        if not communities:
            return
        asked = [[id_, view.rows[id_]["vector"].tolist()] for id_ in communities]
        rows = self._run(
            ABOUT[self.kind.unit],
            asked=asked,
            property=self.corpus.embedding_property,
            most=_MOST_LEAVES_READ,
            nearest=nearest,
            names=_NAMES_OF_A_COMMUNITY,
        )
        view.topics |= {row["id"]: row for row in rows}
        if self.kind.encodes and any(view.rows[id_]["size"] > _MOST_LEAVES_READ for id_ in communities):
            view.notes.append(
                f"names and sentences of large communities are from {_MOST_LEAVES_READ:,} {PLURAL[self.kind.unit]} only"
            )
        self._read_chunks(view, [id_ for row in rows for id_, _ in row["passages"][:_KEY_SENTENCE_PASSAGES]])

    def _page(self, view: _TreeView, first: int, limit: int) -> None:
        top = view.top
        if top not in view.topics:
            return
        leaves = view.rows[top]["leaves"]
        if first or leaves > _MOST_LEAVES_READ:  # rank all leaves, so that each leaf is on exactly one page
            (row,) = self._run(
                ABOUT[self.kind.unit],
                asked=[[top, view.rows[top]["vector"].tolist()]],
                property=self.corpus.embedding_property,
                most=max(_MOST_LEAVES_READ, min(leaves, MOST_MEMBERS_PAGED)),
                nearest=first + limit,
                names=_NAMES_OF_A_COMMUNITY,
            )
            view.topics[top] = {**view.topics[top], "members": row["members"][first:]}
        if leaves > MOST_MEMBERS_PAGED:
            view.notes.append(f"only {MOST_MEMBERS_PAGED:,} of {counted(leaves, SINGULAR[self.kind.unit])} are listed")

    def _list_leaves(self, view: _TreeView, communities: Sequence[str], limit: int) -> None:
        room = _MOST_NODES_SHOWN
        for id_ in communities:
            near = [(unit, similarity) for unit, similarity in view.topics[id_]["members"][: min(limit, room)]]
            view.listed[id_] = near
            room -= len(near)
        units = [unit for near in view.listed.values() for unit, _ in near]
        if self.kind.unit == "chunk":
            self._read_chunks(view, units)
        elif self.kind.unit == "entity":
            view.entities |= {row["id"]: row for row in self._run("systems/tree/entities", ids=units)}
        else:
            rows = self.tx.run("corpus/documents_by_id", self.corpus.label, ids=units)
            view.documents |= {row["document"]["id"]: row["document"] for row in rows}
        if communities and not room:
            view.notes.append(
                f"only {_MOST_NODES_SHOWN} {PLURAL[self.kind.unit]} are shown; open one community to see all of its own"
            )

    def _read_chunks(self, view: _TreeView, ids: Sequence[str]) -> None:
        view.chunks |= chunk_rows(self.tx, self.corpus, (id_ for id_ in ids if id_ not in view.chunks))

    def _outdated(self) -> Iterator[str]:
        return StaleNotes(self.found.system).of(self.tx, self.corpus, self.found.state)

    def _run(self, what: str, **parameters: object) -> list[Row]:
        of = {"tree": self.kind.name, "generation": self.found.state.generation}
        return self.tx.run(self.kind.statement(what), self.corpus.label, **of, **parameters)


def _inside(row: Row) -> float:
    return 1.0 - float(row["cut"] / row["volume"]) if row["cut"] > 0.0 else 1.0


def _of_unit_length(vector: bytes) -> Vectors:
    """Unpack a vector and scale it to unit length, float32 array of shape (d,).

    The result is empty if the vector is zero, because it then has no direction.
    """
    found = unpacked(vector)
    length = float(np.linalg.norm(found))
    return found / np.float32(length) if length > 0.0 else found[:0]


def _key_sentences(
    topics: Mapping[str, Row], communities: Mapping[str, Row], chunks: Mapping[str, Row], embedder: Embedder
) -> dict[str, tuple[str, ...]]:
    """Return a map from communities to the sentences nearest to their vectors, nearest first.

    At most one sentence per passage is chosen.

    Args:
        topics: Map from communities to rows that list their nearest passages.
        communities: Map from communities to rows that contain their vectors.
    """
    read = {
        id_: [_sentences(chunks[chunk]) for chunk, _ in row["passages"][:_KEY_SENTENCE_PASSAGES] if chunk in chunks]
        for id_, row in topics.items()
        if len(communities[id_]["vector"])
    }
    texts = list(dict.fromkeys(text for passages in read.values() for passage in passages for text in passage))
    if not texts:
        return {}
    place = {text: number for number, text in enumerate(texts)}
    vectors = embedder.embed(texts)
    telling: dict[str, tuple[str, ...]] = {}
    for id_, passages in read.items():
        near = vectors @ communities[id_]["vector"]
        best = [max(passage, key=lambda text: near[place[text]]) for passage in passages if passage]
        best = sorted(dict.fromkeys(best), key=lambda text: -near[place[text]])
        telling[id_] = tuple(best[:_SENTENCES_OF_A_COMMUNITY])
    return telling


def _sentences(chunk: Row) -> list[str]:
    """Return the first sentences of a passage, each on one line.

    Short sentences are returned only if there are no longer sentences.
    """
    found = [" ".join(text.split()) for text in sentence_texts(content(chunk), chunk["sentences"])[:_SENTENCES_READ]]
    return [text for text in found if len(text) >= _SHORTEST_SENTENCE_CHARACTERS] or [text for text in found if text]
