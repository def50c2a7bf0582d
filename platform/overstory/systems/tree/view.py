"""Shows a stored tree: reads a part of it, and finds out what its communities are about."""

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
from overstory.systems.standing import Standing
from overstory.systems.state import StaleNotes
from overstory.systems.tree.finding import FoundTree, community_id, find_tree, other_trees
from overstory.systems.tree.kinds import TreeKind
from overstory.text.sentences import sentence_texts
from overstory.vectors.packed import unpacked

ABOUT: Mapping[Unit, str] = {
    "chunk": "systems/tree/about_chunk",
    "document": "systems/tree/about_document",
    "entity": "systems/tree/about_entity",
}
"""What reads the members of communities."""
MOST_LEVELS_SHOWN = 10
MOST_SHOWN_BELOW = 100
"""Communities or leaves that are shown right below a community."""
_MOST_NODES_SHOWN = 100
"""Communities in all, and leaves in all."""
_MOST_COMMUNITIES_TRIED = 2_000
"""Communities, from the top and the largest first, among which those are looked for that a filter lets through."""
_MOST_LEAVES_READ = 1_000
"""Leaves of a community that names and sentences are taken from, those of the greatest volume."""
MOST_MEMBERS_PAGED = 10_000
"""Leaves right below a community that can be paged through."""
_NAMES_OF_A_COMMUNITY = 5  # names that are shown of a community
_SENTENCES_OF_A_COMMUNITY = 2  # sentences that are shown of a community
_TELLING_PASSAGES = 2
"""The nearest to a community's vector, whose sentences are compared with it."""
_SENTENCES_READ = 4
"""Of each of these passages, the first ones: a sentence takes some 5 ms to embed, and there are many communities."""
_SHORTEST_SENTENCE_CHARACTERS = 25
"""Characters. A heading or a name alone can be near a vector, but says little."""


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
    """The part of a tree below a community, the root if `node` is None.

    Args:
        systems: whose trees are looked at.
        first: communities and leaves right below `node` that are left out before the others.
        sentences: whether to look for those that communities are about, whose embedding takes most of the time.
        tree: its name; the first that the corpus has if left out.
        among: the documents that a filter lets through. Communities that stand on others too are left out, and what is
            right below the root is what those that are kept have above it.
    """
    if not 1 <= depth <= MOST_LEVELS_SHOWN:
        raise QuestionError(f"depth is {depth}.", remedy=f"Ask for 1 to {MOST_LEVELS_SHOWN} levels.")
    if not 1 <= limit <= MOST_SHOWN_BELOW:
        raise QuestionError(f"limit is {limit}.", remedy=f"Ask for 1 to {MOST_SHOWN_BELOW} communities.")
    if not 0 <= first <= MOST_MEMBERS_PAGED:
        raise QuestionError(f"first is {first}.", remedy=f"Give 0 to {MOST_MEMBERS_PAGED:,}.")

    def ask(tx: Transaction, corpus: Corpus) -> _Seen:
        found = find_tree(systems, corpus, tree)
        standing = None if among is None else Standing(among(tx, corpus))
        seen = _TreeReader(tx, corpus, found, standing).seen(node, depth, limit, first)
        seen.notes += () if tree or node else other_trees(systems, corpus, found)
        return seen

    return query_current_corpus(context, "retrieve/tree", ask).as_tree(context.embedder if sentences else None)


@dataclass(slots=True)
class _Seen:
    """The part of a tree that was read.

    Attributes:
        children: communities that are shown below each community that has any.
        rows: of `systems/tree/communities`, by id.
        told: of `systems/tree/about_…`, by id; not for the root.
        listed: leaves that are shown right below each community by the ids of their units, and how near these are.
        chunks, entities, documents: rows by id; without those that were deleted meanwhile.
        encodes: whether its entropy is shown.
    """

    corpus: str
    kind: TreeKind
    levels: list[Row]
    top: str
    encodes: bool
    children: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    rows: dict[str, Row] = field(default_factory=dict[str, Row])
    told: dict[str, Row] = field(default_factory=dict[str, Row])
    listed: dict[str, list[tuple[str, float]]] = field(default_factory=dict[str, list[tuple[str, float]]])
    chunks: dict[str, Row] = field(default_factory=dict[str, Row])
    entities: dict[str, Row] = field(default_factory=dict[str, Row])
    documents: dict[str, Row] = field(default_factory=dict[str, Row])
    notes: list[str] = field(default_factory=list[str])

    def as_tree(self, embedder: Embedder | None) -> CommunityTree:
        told = {} if embedder is None else _telling_sentences(self.told, self.rows, self.chunks, embedder)
        top = self.rows[self.top]
        return CommunityTree(
            corpus=self.corpus,
            tree=self.kind.name,
            unit=self.kind.unit,
            size=self.levels[0]["size"],
            levels=tuple(row["communities"] for row in self.levels[1:] if row["communities"]),
            entropy=sum(row["entropy"] for row in self.levels) if self.encodes else None,
            above=tuple(reversed(top["above"])),
            community=self._community(self.top, told),
            notes=tuple(self.notes),
        )

    def _community(self, id_: str, sentences: Mapping[str, tuple[str, ...]]) -> Community:
        row = self.rows[id_]
        names = self.told[id_]["names"] if id_ in self.told else ()
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
    """One look at a tree, in its transaction."""

    tx: Transaction
    corpus: Corpus
    found: FoundTree
    standing: Standing | None = None

    @property
    def kind(self) -> TreeKind:
        return self.found.kind

    def seen(self, node: str | None, depth: int, limit: int, first: int) -> _Seen:
        levels = self._run("systems/tree/levels")
        if not levels:
            raise self.found.gone(self.corpus)
        root = levels[0]["root"]
        standing = self.standing

        def own_alone(ids: Iterable[str]) -> set[str]:
            return set(ids) if standing is None else self._own(ids, standing)

        own = None if standing is None else own_alone
        top = root if node is None else community_id(self.tx, self.corpus, self.found, node, command="tree", own=own)
        seen = _Seen(self.corpus.name, self.kind, levels, top=top, encodes=self.kind.encodes and standing is None)
        if standing is None or not standing.restricted:
            seen.notes.extend(self._outdated())
        alone = levels[0].get("alone")
        if alone and standing is None:
            are = "is" if alone == 1 else "are"
            seen.notes.append(f"{counted(alone, SINGULAR[self.kind.unit])} {are} in no community")
        shown = self._shown(seen, depth, limit, first)
        titled = "title" in self.kind.properties
        read = self._run("systems/tree/communities", ids=shown, whole=levels[0]["whole"], own=titled)
        rows = {row["id"]: row for row in read}
        if any(id_ not in rows for id_ in shown):
            raise self.found.gone(self.corpus)
        seen.rows |= {id_: row | {"vector": _of_unit_length(row["vector"] or b"")} for id_, row in rows.items()}
        if standing is not None:
            self._tell_own_alone(seen, standing, root)
        opened = [id_ for id_ in seen.children if rows[id_]["leaves"] and id_ != root]
        self._tell(seen, [id_ for id_ in shown if id_ != root], max(_TELLING_PASSAGES, limit if opened else 0))
        if top in opened:
            self._page(seen, first, limit)
        self._list_leaves(seen, [id_ for id_ in opened if id_ in seen.told], limit)
        return seen

    def _shown(self, seen: _Seen, depth: int, limit: int, first: int) -> list[str]:
        """The requested community and those below it, as far as they are shown."""
        shown, lowest, left_out = [seen.top], [seen.top], 0
        for level in range(depth):
            skip = 0 if level else first
            if self.standing is not None and lowest == [seen.levels[0]["root"]]:
                rows = {lowest[0]: self._highest(seen, lowest[0], skip + limit, self.standing)[skip:]}
            else:
                rows = self._children(lowest, limit, skip)
            there = sum(map(len, rows.values()))
            room = _MOST_NODES_SHOWN - len(shown) + 1
            parents, lowest = lowest, []
            for parent in parents:
                seen.children[parent] = rows.get(parent, [])[: max(0, room - len(lowest))]
                lowest += seen.children[parent]
                if rows.get(parent) and not seen.children[parent]:
                    del seen.children[parent]  # or its leaves would pass for all that it has
            left_out += there - len(lowest)
            shown += lowest
            if not lowest:
                break
        if left_out:
            seen.notes.append(
                f"only {_MOST_NODES_SHOWN} communities are shown; ask for one of them to see what is below it"
            )
        return shown

    def _children(self, ids: Sequence[str], limit: int, skip: int = 0) -> dict[str, list[str]]:
        rows = self._run("systems/tree/children", ids=ids, skip=skip, limit=limit)
        return {row["id"]: row["communities"] for row in rows}

    def _own(self, ids: Iterable[str], standing: Standing) -> set[str]:
        """The communities that stand on matching documents alone, as all below them do."""
        return standing.own(ids, self.kind.statement("systems/tree/stands_on"))

    def _highest(self, seen: _Seen, root: str, limit: int, standing: Standing) -> list[str]:
        """The highest communities that stand on matching documents alone, from the top."""
        found: list[str] = []
        waiting, tried, left_out = [root], 0, 0
        while waiting and len(found) < limit and tried < _MOST_COMMUNITIES_TRIED:
            below = self._children(waiting, _MOST_COMMUNITIES_TRIED - tried)
            listed = [id_ for parent in waiting for id_ in below.get(parent, [])][: _MOST_COMMUNITIES_TRIED - tried]
            tried += len(listed)
            own = self._own(listed, standing)
            found += [id_ for id_ in listed if id_ in own]
            waiting = [id_ for id_ in listed if id_ not in own]
            left_out += len(waiting)
        seen.notes.extend(standing.among.notes)
        if not standing.restricted:
            if left_out:
                are = "community stands" if left_out == 1 else "communities stand"
                seen.notes.append(f"{left_out:,} {are} on other documents, too, and only what is below is shown")
            if tried >= _MOST_COMMUNITIES_TRIED:
                seen.notes.append(f"only the {_MOST_COMMUNITIES_TRIED:,} communities nearest to the top were looked at")
        return found[:limit]

    def _tell_own_alone(self, seen: _Seen, standing: Standing, root: str) -> None:
        """Takes off what is told of the rest of the tree: its size, its levels, and what is above."""
        highest = seen.children.get(root, [])
        size = sum(seen.rows[id_]["size"] for id_ in highest) if seen.top == root else seen.rows[seen.top]["size"]
        seen.levels = [{**seen.levels[0], "size": size}, *([{"communities": len(highest)}] if highest else [])]
        if seen.top == root:
            seen.rows[root] = {**seen.rows[root], "size": size, "below": len(highest), "leaves": 0, "above": []}
        else:
            above = self._own(seen.rows[seen.top]["above"], standing)
            seen.rows[seen.top]["above"] = [id_ for id_ in seen.rows[seen.top]["above"] if id_ in above]
            seen.notes.extend(standing.among.notes)

    def _tell(self, seen: _Seen, communities: Sequence[str], nearest: int) -> None:
        """Reads what these communities are about."""
        if not communities:
            return
        asked = [[id_, seen.rows[id_]["vector"].tolist()] for id_ in communities]
        rows = self._run(
            ABOUT[self.kind.unit],
            asked=asked,
            property=self.corpus.embedding_property,
            most=_MOST_LEAVES_READ,
            nearest=nearest,
            names=_NAMES_OF_A_COMMUNITY,
        )
        seen.told |= {row["id"]: row for row in rows}
        if self.kind.encodes and any(seen.rows[id_]["size"] > _MOST_LEAVES_READ for id_ in communities):
            seen.notes.append(
                f"names and sentences are those of {_MOST_LEAVES_READ:,} {PLURAL[self.kind.unit]} of each community, "
                "where it has more"
            )
        self._read_chunks(seen, [id_ for row in rows for id_, _ in row["passages"][:_TELLING_PASSAGES]])

    def _page(self, seen: _Seen, first: int, limit: int) -> None:
        """Leaves out what comes before a page of the leaves right below the requested community."""
        top = seen.top
        if top not in seen.told:
            return
        leaves = seen.rows[top]["leaves"]
        if first or leaves > _MOST_LEAVES_READ:  # all of them are ranked, so that pages have each once
            (row,) = self._run(
                ABOUT[self.kind.unit],
                asked=[[top, seen.rows[top]["vector"].tolist()]],
                property=self.corpus.embedding_property,
                most=max(_MOST_LEAVES_READ, min(leaves, MOST_MEMBERS_PAGED)),
                nearest=first + limit,
                names=_NAMES_OF_A_COMMUNITY,
            )
            seen.told[top] = {**seen.told[top], "members": row["members"][first:]}
        if leaves > MOST_MEMBERS_PAGED:
            seen.notes.append(f"of {counted(leaves, SINGULAR[self.kind.unit])} only {MOST_MEMBERS_PAGED:,} are listed")

    def _list_leaves(self, seen: _Seen, communities: Sequence[str], limit: int) -> None:
        """Reads the leaves right below these communities, as far as they are shown."""
        room = _MOST_NODES_SHOWN
        for id_ in communities:
            near = [(unit, similarity) for unit, similarity in seen.told[id_]["members"][: min(limit, room)]]
            seen.listed[id_] = near
            room -= len(near)
        units = [unit for near in seen.listed.values() for unit, _ in near]
        if self.kind.unit == "chunk":
            self._read_chunks(seen, units)
        elif self.kind.unit == "entity":
            seen.entities |= {row["id"]: row for row in self._run("systems/tree/entities", ids=units)}
        else:
            rows = self.tx.run("corpus/documents_by_id", self.corpus.label, ids=units)
            seen.documents |= {row["document"]["id"]: row["document"] for row in rows}
        if communities and not room:
            seen.notes.append(
                f"only {_MOST_NODES_SHOWN} {PLURAL[self.kind.unit]} are shown; "
                "ask for one community to see all of its own"
            )

    def _read_chunks(self, seen: _Seen, ids: Sequence[str]) -> None:
        seen.chunks |= chunk_rows(self.tx, self.corpus, (id_ for id_ in ids if id_ not in seen.chunks))

    def _outdated(self) -> Iterator[str]:
        return StaleNotes(self.found.system).of(self.tx, self.corpus, self.found.state)

    def _run(self, what: str, **parameters: object) -> list[Row]:
        of = {"tree": self.kind.name, "generation": self.found.state.generation}
        return self.tx.run(self.kind.statement(what), self.corpus.label, **of, **parameters)


def _inside(row: Row) -> float:
    return 1.0 - float(row["cut"] / row["volume"]) if row["cut"] > 0.0 else 1.0


def _of_unit_length(vector: bytes) -> Vectors:
    """float32[d] of unit length; empty where it points nowhere, which has no cosine."""
    found = unpacked(vector)
    length = float(np.linalg.norm(found))
    return found / np.float32(length) if length > 0.0 else found[:0]


def _telling_sentences(
    told: Mapping[str, Row], communities: Mapping[str, Row], chunks: Mapping[str, Row], embedder: Embedder
) -> dict[str, tuple[str, ...]]:
    """For each community the sentences nearest to its vector, the nearest first, no two from one passage."""
    read = {
        id_: [_sentences(chunks[chunk]) for chunk, _ in row["passages"][:_TELLING_PASSAGES] if chunk in chunks]
        for id_, row in told.items()
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
    """The first sentences of a passage, on one line each; short ones only where there are no others."""
    found = [" ".join(text.split()) for text in sentence_texts(content(chunk), chunk["sentences"])[:_SENTENCES_READ]]
    return [text for text in found if len(text) >= _SHORTEST_SENTENCE_CHARACTERS] or [text for text in found if text]
