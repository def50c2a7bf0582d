"""Search for paths between two entities.

The graph is expanded from both ends, one step at a time. The search stops when longer paths cannot be better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from math import inf
from operator import and_
from typing import Any

from overstory.graph import Corpus, GraphClient, Transaction, batches
from overstory.graph.client import Row
from overstory.graph.times import times_of
from overstory.model import HYPERLINK
from overstory.model.entity_paths import EntityPath, EntityPaths, PathStep, StepKind
from overstory.retrieve.among import Among
from overstory.retrieve.context import NAMES_OUTDATED, asked_corpus
from overstory.retrieve.entity_paths.endpoints import MatchingPassages, read_ends
from overstory.retrieve.entity_paths.expansion import DOCUMENTS_OF_A_NAME, STEP_COST, Walk, Way, cheapest, ways
from overstory.retrieve.hits import chunk_rows, content, fact_times
from overstory.text.names.subjects import OWN
from overstory.text.sentences import sentence_at

FACT_COST, LINK_COST, SENTENCE_COST, SUBJECT_COST, PASSAGE_COST = 0.0, 0.05, 0.1, 0.1, 0.3
"""Cost of a statement by its kind. The cost of a step is `STEP_COST` plus this cost."""

_DOCUMENT_COST = 1.2
"""Cost of a short document that mentions both ends of a path in different passages. It connects them only indirectly,
so it counts like a path of two steps."""

_MOST_CHUNKS_OF_A_SHORT_DOCUMENT = 30
_PASSAGES_OF_THE_RARER_NAME = 200
"""Maximum number of passages that mention the rarer end whose documents are searched for the other end."""

IS = "be"

SENTENCE_APART_COST, MOST_SENTENCES_APART = 0.04, 5
"""If two names are not in the same sentence of a passage, each sentence between them adds this cost, up to this maximum
number of sentences."""

_MOST_STATEMENTS_TRIED = 8
"""Maximum number of statements to try per step when the statements of adjacent steps are combined."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that connects the two entities of a step: a fact, a link, or a passage that mentions both.

    Attributes:
        chunk: id of the passage. For a link, the first chunk of the document at which the link starts; for a document,
            the first of the two passages.
        sentences: numbers of the sentences in the passage, in reading order; for a document, one for each passage.
        longer: for each of the two entities, by id, the ids of longer names in the passage that contain its name.
        quote: for a fact, the sentence that states it; otherwise "".
        text: for a link, its text; otherwise "".
        times: for a fact, the properties of its time.
        other_chunk: for a link, the first chunk of the document at which the link ends; for a document, the second
            passage; otherwise "".
        documents: for a link, a map from each of the two entities, by id, to its document; otherwise empty.
    """

    chunk: str
    kind: StepKind
    cost: float
    sentences: tuple[int, ...]
    longer: Mapping[str, Set[str]]
    subject: str = ""
    predicate: str = ""
    object: str = ""
    quote: str = ""
    text: str = ""
    other_chunk: str = ""
    times: Mapping[str, Any] = field(default_factory=dict[str, Any])
    documents: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def chunks(self) -> tuple[str, ...]:
        return (self.chunk, self.other_chunk) if self.other_chunk else (self.chunk,)


def statements(row: Row, pair: tuple[str, str], links: Iterable[Row] = ()) -> list[Statement]:
    """Return the statements that connect two entities, the cheapest first.

    Args:
        row: row of `retrieve/path_steps` for the two entities.
        pair: ids of the two entities.
        links: rows of `retrieve/path_link_steps` for the two entities.
    """
    together = {passage["chunk"]: _together(passage, pair) for passage in row["passages"]}
    found = [*_facts(row["facts"], together), *(_link(link, pair) for link in links), *together.values()]
    return sorted(found, key=lambda each: (each.cost, each.sentences, each.chunk, each.predicate, each.text))


def stated(
    way: Sequence[str], steps: Sequence[Sequence[Statement]], ambiguous: Set[str]
) -> tuple[Statement, ...] | None:
    """Return the cheapest combination of compatible statements for a way, one per step; None if there is none.

    The statements of two adjacent steps are compatible under the following conditions:

    - They are from different passages, because a passage that mentions three names may connect only two of them. Two
      facts, or a link and any other statement, may be from the same passage.
    - An ambiguous name means the same entity in both. "Burton" must not be Cliff Burton in one passage and Hilarie
      Burton in the other.
    - Two links meet at the same document.

    Args:
        steps: the statements of each step. There is one step fewer than there are entities.
        ambiguous: ids of entities whose name may be part of several names.
    """
    best: list[tuple[float, tuple[Statement, ...]]] = [(0.0, ())]
    for name, step in zip(way, steps, strict=False):
        extended: list[tuple[float, tuple[Statement, ...]]] = []
        for statement in step[:_MOST_STATEMENTS_TRIED]:
            before = [
                (cost, chosen) for cost, chosen in best if not chosen or _fit(chosen[-1], statement, name, ambiguous)
            ]
            if before:
                cost, chosen = min(before, key=lambda each: each[0])
                extended.append((cost + statement.cost, (*chosen, statement)))
        best = extended
    return min(best, key=lambda each: each[0])[1] if best else None


def containing_names(way: Sequence[str], chosen: Sequence[Statement], ambiguous: Set[str]) -> list[Set[str]]:
    """Return, for each entity between the ends of a way, the ids of the entities that its name may mean.

    These are the entity itself and, if its name is ambiguous, the longer names that contain it.
    """
    return [
        {name} | (before.longer.get(name, set()) | after.longer.get(name, set()) if name in ambiguous else set())
        for name, (before, after) in zip(way[1:], pairwise(chosen), strict=False)
    ]


def _fit(first: Statement, second: Statement, name: str, ambiguous: Set[str]) -> bool:
    if first.documents and second.documents:
        return first.documents[name] == second.documents[name]
    return _apart(first, second) and (name not in ambiguous or _one_name(first, second, name))


def _apart(first: Statement, second: Statement) -> bool:
    if "link" in (first.kind, second.kind):
        return True
    return first.chunk != second.chunk or first.kind == second.kind == "fact"


def _one_name(first: Statement, second: Statement, name: str) -> bool:
    here, there = first.longer.get(name, set()), second.longer.get(name, set())
    return not here or not there or bool(here & there)


def _facts(rows: Iterable[Row], together: Mapping[str, Statement]) -> Iterator[Statement]:
    """Yield the facts of a step as statements.

    If a passage mentions both names, its facts with the predicate "be" are left out, because they may stem from any
    apposition or list.

    Args:
        together: map from chunk id to the statement that the passage mentions both names.
    """
    for row in rows:
        chunk = together.get(row["chunk"])
        if row["predicate"] == IS and chunk:
            continue
        yield Statement(
            chunk=row["chunk"],
            kind="fact",
            cost=FACT_COST,
            sentences=(row["sentence"],) if row["sentence"] is not None else chunk.sentences if chunk else (0,),
            longer=chunk.longer if chunk else {},
            subject=row["subject"],
            predicate=row["predicate"],
            object=row["object"],
            quote=row["quote"],
            times=row["times"],
        )


def _link(row: Row, pair: tuple[str, str]) -> Statement:
    start, end = row["chunks"]
    return Statement(
        chunk=start,
        kind="link",
        cost=LINK_COST,
        sentences=(0,),
        longer={},
        subject=row["subject"],
        predicate=row["type"],
        object=row["object"],
        text=row["text"],
        other_chunk=end,
        documents=dict(zip(pair, row["documents"], strict=True)),
    )


def _together(passage: Row, pair: tuple[str, str]) -> Statement:
    """Return the statement that a passage mentions both names. Its cost depends on the distance between the names."""
    kind, cost, sentences = _closeness(passage)
    longer = {name: set(passage[side]) for name, side in zip(pair, ("longer_first", "longer_second"), strict=True)}
    return Statement(passage["chunk"], kind, cost, sentences, longer)


def _closeness(passage: Row) -> tuple[StepKind, float, tuple[int, ...]]:
    first, second = _flat(passage["first"]), _flat(passage["second"])
    if first & second:
        return "sentence", SENTENCE_COST, (min(first & second),)
    if "title" in passage["about_first"] and second:
        return "subject", SUBJECT_COST, (min(second),)
    if "title" in passage["about_second"] and first:
        return "subject", SUBJECT_COST, (min(first),)
    if not first or not second:
        return "passage", PASSAGE_COST, (min(first | second, default=0),)
    here, there = min(((a, b) for a in first for b in second), key=lambda both: (abs(both[0] - both[1]), both))
    both = (min(here, there), max(here, there))
    if passage["about_first"] or passage["about_second"]:
        return "subject", SUBJECT_COST, both
    return "passage", PASSAGE_COST + SENTENCE_APART_COST * min(both[1] - both[0], MOST_SENTENCES_APART), both


def _flat(sentences: Iterable[Iterable[int]]) -> set[int]:
    return {each for some in sentences for each in some}


_REPEATED_NAME_PENALTY = 0.25
"""Penalty for each entity that an already chosen path contains. It affects only the choice of paths, not their cost."""


@dataclass(frozen=True, slots=True)
class StatedWay:
    """A way with one statement for each step.

    Attributes:
        between: for each entity between the ends, the ids of the entities that its name may mean.
    """

    way: Way
    cost: float
    statements: tuple[Statement, ...]
    between: Sequence[Set[str]]

    @property
    def length(self) -> int:
        """The number of steps. A step through a document counts twice."""
        return len(self.way) - 1 + sum(each.kind == "document" for each in self.statements)


def add(found: list[StatedWay], new: StatedWay) -> None:
    """Add a way to `found`, but keep only the best of several ways through the same entities."""
    for place, other in enumerate(found):
        if len(other.way) == len(new.way) and all(map(and_, other.between, new.between)):
            found[place] = min(other, new, key=_order)
            return
    found.append(new)


def chosen_paths(found: Iterable[StatedWay], k: int) -> list[StatedWay]:
    """Return `k` ways: first the best of the shortest ways, then the best other ways.

    If a way leads through entities of already chosen ways, each of these entities adds `_REPEATED_NAME_PENALTY` to its
    cost in the comparison.
    """
    waiting = sorted(found, key=lambda each: (each.length, *_order(each)))
    chosen = waiting[:1]
    waiting = waiting[1:]
    while waiting and len(chosen) < k:
        taken = {name for each in chosen for names in each.between for name in names}
        worth = [
            each.cost + _REPEATED_NAME_PENALTY * sum(not taken.isdisjoint(names) for names in each.between)
            for each in waiting
        ]
        best = min(range(len(waiting)), key=lambda place: (worth[place], *_order(waiting[place])))
        chosen.append(waiting.pop(best))
    return chosen[:1] + sorted(chosen[1:], key=_order)


def _order(found: StatedWay) -> tuple[float, Way]:
    return found.cost, found.way


def enough(found: Sequence[StatedWay], k: int, least: float) -> bool:
    """Return True if at least `k` of the ways cost no more than `least`, a lower bound on the cost of further ways."""
    return sum(each.cost <= least for each in found) >= k


_WAYS_A_BATCH = 40
_MOST_BATCHES_OF_WAYS = 5
"""For each number of steps, statements are read for at most this many batches of `_WAYS_A_BATCH` ways."""

_PASSAGES_A_PAIR = 50
_LISTED_PASSAGES_A_PAIR = 1_000
"""Maximum number of passages, and of facts, to check against a filter per pair of entities."""
OWN_WORDS = frozenset[str](OWN)


def find_paths(
    graph: GraphClient,
    corpus_name: str,
    start: str,
    end: str,
    *,
    k: int,
    steps: int,
    among: Callable[[Transaction, Corpus], Among] | None = None,
    as_of: date | None = None,
) -> EntityPaths:
    """Return paths between two entities: the best of the shortest paths, then the best other paths.

    Args:
        steps: maximum number of steps in a path.
        among: returns the documents that match a filter. Paths then use only passages of these documents. None to use
            all documents.
        as_of: day by which facts must have been said and begun; None for any.
    """

    def work(tx: Transaction) -> EntityPaths:
        corpus = asked_corpus(graph, corpus_name, tx)
        passages = None if among is None else MatchingPassages(among(tx, corpus))
        ends = read_ends(tx, corpus, start, end, passages)
        walk = Walk(tx, corpus, ends, passages)
        finding = _PathSearch(tx, corpus, walk, ends.start.id, ends.end.id, passages, as_of)
        best = finding.best(k, steps)
        worst = max(each.cost for each in best) if len(best) == k else inf
        paths = finding.paths(best)
        notes = [*walk.notes(worst), *([NAMES_OUTDATED] if ends.outdated else [])]
        if passages is not None:  # notes on what was left out may reveal other documents
            notes = [*passages.among.notes] if passages.matching.restricted else [*passages.among.notes, *notes]
        return EntityPaths(walk.names[ends.start.id], walk.names[ends.end.id], paths, tuple(notes))

    return graph.reading("retrieve/paths", work)


class _PathSearch:
    def __init__(
        self,
        tx: Transaction,
        corpus: Corpus,
        walk: Walk,
        start: str,
        end: str,
        passages: MatchingPassages | None = None,
        as_of: date | None = None,
    ) -> None:
        self._passages = passages
        self._as_of = as_of
        self._tx = tx
        self._corpus = corpus
        self._walk = walk
        self._start = start
        self._end = end
        self._statements: dict[tuple[str, str], list[Statement]] = {}
        self._together: dict[tuple[str, str], int] = {}

    def best(self, k: int, steps: int) -> list[StatedWay]:
        found: list[StatedWay] = []
        for number in range(1, steps + 1):
            self._walk.read_up_to(number, last=number == steps)
            self._add_ways(found, k, number)
            if number == 1 and not found:
                found += self._through_documents()
            if enough(found, k, cheapest(number + 1, self._walk.least)):
                break
        return chosen_paths(found, k)

    def paths(self, found: Sequence[StatedWay]) -> tuple[EntityPath, ...]:
        stating = [chunk for each in found for statement in each.statements for chunk in statement.chunks]
        if self._passages is not None:
            self._name_as_written(found, stating, self._passages)
        chunks = chunk_rows(self._tx, self._corpus, stating)
        return tuple(
            EntityPath(
                names=tuple(self._walk.names[name] for name in each.way),
                steps=tuple(
                    self._step(pair, statement, chunks)
                    for pair, statement in zip(pairwise(each.way), each.statements, strict=True)
                ),
                cost=round(each.cost, 6),
            )
            for each in found
            if all(chunk in chunks for statement in each.statements for chunk in statement.chunks)
        )

    def _name_as_written(self, found: Sequence[StatedWay], stating: Sequence[str], passages: MatchingPassages) -> None:
        """Use the spellings of names in the passages of the paths, rather than spellings from other documents."""
        shown = {self._start, self._end, *(name for each in found for name in each.way)}
        ends = passages.of([self._start, self._end]).values()
        read = [*stating, *(chunk for places in ends for chunk in places.chunks[:_PASSAGES_A_PAIR])]
        written = {id_: name for id_, _, name, _ in passages.named_in(read) if id_ in shown}
        if rest := shown - written.keys():  # entities that appear only in the title of a linked document
            places = passages.of(sorted(rest)).values()
            more = passages.named_in([chunk for each in places for chunk in each.chunks[:_PASSAGES_A_PAIR]])
            written |= {id_: name for id_, _, name, _ in more if id_ in rest}
        self._walk.names.update(written)

    def _through_documents(self) -> list[StatedWay]:
        """Return the way through the short document in which both ends are nearest, or nothing."""
        way = (self._start, self._end)
        rarer, other = self._rarer_first(way)
        rows = self._tx.run(
            "retrieve/path_documents",
            self._corpus.label,
            rarer=rarer,
            other=other,
            looked_at=_PASSAGES_OF_THE_RARER_NAME,
            most_chunks=_MOST_CHUNKS_OF_A_SHORT_DOCUMENT,
            own=list(OWN),
        )
        for document, first, here, second, there in (each for row in rows for each in row["documents"]):
            if self._passages is None or document in self._passages.matching.documents:
                statement = Statement(first, "document", _DOCUMENT_COST, (here, there), {}, other_chunk=second)
                return [StatedWay(way, STEP_COST + _DOCUMENT_COST, (statement,), ())]
        return []

    def _add_ways(self, found: list[StatedWay], k: int, steps: int) -> None:
        """Add the ways with exactly `steps` steps to `found`, until no further way can be among the best `k`."""
        walk = self._walk
        candidates = ways(walk.neighbours, walk.costs, self._start, self._end, steps=steps)
        for number, batch in enumerate(batches(candidates, _WAYS_A_BATCH), start=1):
            self._read_statements(pair for _, way in batch for pair in pairwise(way))
            for cost, way in batch:
                chosen = stated(way, [self._statements[_ordered(pair)] for pair in pairwise(way)], walk.ambiguous)
                if chosen is not None:
                    whole = cost + steps * STEP_COST + sum(statement.cost for statement in chosen)
                    add(found, StatedWay(way, whole, chosen, containing_names(way, chosen, walk.ambiguous)))
            if number == _MOST_BATCHES_OF_WAYS or enough(found, k, steps * STEP_COST + batch[-1][0]):
                return

    def _read_statements(self, pairs: Iterable[tuple[str, str]]) -> None:
        new = [pair for pair in dict.fromkeys(_ordered(pair) for pair in pairs) if pair not in self._statements]
        if not new:
            return
        rarer_first = [self._rarer_first(pair) for pair in new]
        rows = self._tx.run(
            "retrieve/path_steps",
            self._corpus.label,
            asked={"pairs": rarer_first},
            most=_PASSAGES_A_PAIR if self._passages is None else _LISTED_PASSAGES_A_PAIR,
            as_of=self._as_of,
        )
        if self._passages is not None:
            rows = [_matching(row, self._passages) for row in rows]
        self._statements |= {pair: [] for pair in new}
        links = self._links(rarer_first)
        for row in rows:
            place = row["pair"]
            self._statements[new[place]] = statements(row, rarer_first[place], links.get(place, ()))
            self._together[new[place]] = row["together"]

    def _links(self, pairs: Sequence[tuple[str, str]]) -> dict[int, list[Row]]:
        if not self._walk.linked:
            return {}
        links: dict[int, list[Row]] = {}
        for row in self._tx.run(
            "retrieve/path_link_steps",
            self._corpus.label,
            asked={"pairs": pairs},
            ends=self._walk.ends,
            documents=DOCUMENTS_OF_A_NAME,
            most=_PASSAGES_A_PAIR,
            hyperlink=HYPERLINK,
        ):
            if self._passages is None or self._passages.matching.documents.issuperset(row["documents"]):
                links.setdefault(row["pair"], []).append(row)
        return links

    def _rarer_first(self, pair: tuple[str, str]) -> tuple[str, str]:
        return pair if self._walk.df[pair[0]] <= self._walk.df[pair[1]] else (pair[1], pair[0])

    def _step(self, pair: tuple[str, str], statement: Statement, chunks: Mapping[str, Row]) -> PathStep:
        chunk = chunks[statement.chunk]
        start, end = (self._walk.names[name] for name in pair)
        times = fact_times(statement.times, chunk) if statement.kind == "fact" else times_of({})
        return PathStep(
            start=start,
            end=end,
            kind=statement.kind,
            subject=statement.subject,
            predicate=statement.predicate,
            object=statement.object,
            sentences=_sentences(statement, chunks),
            title=chunk["title"],
            heading=chunk["heading"],
            source=chunk["source"],
            source_key=chunk["source_key"],
            document_id=chunk["document_id"],
            chunk_id=chunk["chunk_id"],
            cost=STEP_COST + statement.cost,
            more=max(0, self._together.get(_ordered(pair), 0) - (statement.kind != "link")),
            link_text=statement.text,
            **times,
        )


def _matching(row: Row, passages: MatchingPassages) -> Row:
    """Return a row of `retrieve/path_steps` with only the passages and facts from documents that match the filter."""
    together = [
        each
        for each in row["passages"]
        if passages.lets_through(each)
        and all(each[side] or not OWN_WORDS.isdisjoint(each[f"about_{side}"]) for side in ("first", "second"))
    ]
    facts = list(filter(passages.lets_through, row["facts"]))
    shown = {"passages": together[:_PASSAGES_A_PAIR], "facts": facts[:_PASSAGES_A_PAIR]}
    return {**row, **shown, "together": len(together)}


def _sentences(statement: Statement, chunks: Mapping[str, Row]) -> tuple[str, ...]:
    """Return the sentences to show for a statement.

    For a link, these are the first sentences of both documents, except those that are equal to the document's title.
    """
    if statement.quote:
        return (statement.quote,)
    rows = [chunks[chunk] for chunk in statement.chunks]
    if statement.kind == "document":
        both = zip(rows, statement.sentences, strict=True)
        return tuple(sentence_at(content(row), row["sentences"], number) for row, number in both)
    shown = (
        (sentence_at(content(row), row["sentences"], number), row["title"])
        for row in rows
        for number in statement.sentences
    )
    return tuple(sentence for sentence, title in shown if statement.kind != "link" or sentence != title)


def _ordered(pair: tuple[str, str]) -> tuple[str, str]:
    return pair if pair[0] < pair[1] else (pair[1], pair[0])
