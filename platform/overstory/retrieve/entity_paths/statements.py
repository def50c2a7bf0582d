"""Statements of a step: the facts, links and passages in which its two names are closest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from overstory.graph.client import Row
from overstory.model.entity_paths import StepKind

FACT_COST, LINK_COST, SENTENCE_COST, SUBJECT_COST, PASSAGE_COST = 0.0, 0.05, 0.1, 0.1, 0.3
"""The cost of a step beyond 1, by the kind of its statement."""

IS = "be"

SENTENCE_APART_COST, MOST_SENTENCES_APART = 0.04, 5
"""Extra cost for each sentence between the two names in a passage, and the most sentences counted."""

_MOST_STATEMENTS_TRIED = 8
"""Statements of one step that are tried with those of its neighbours."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a step.

    Attributes:
        sentences: their places in the passage, in reading order.
        longer: the two names of the step -> the longer names in the passage that have them as a part.
        quote: the sentence of a fact, as the fact has it; "" for other kinds.
        text: what a link says.
        other_chunk: the first of the document that a link leads to; `chunk` is that of the one which it starts from.
        documents: the two names of the step -> the documents that a link ties; empty for other kinds.
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
    documents: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def chunks(self) -> tuple[str, ...]:
        return (self.chunk, self.other_chunk) if self.other_chunk else (self.chunk,)


def statements(row: Row, pair: tuple[str, str], links: Iterable[Row] = ()) -> list[Statement]:
    """Statements of the step in a row of `retrieve/path_steps`, queried for this pair; the closest first.

    Args:
        links: rows of `retrieve/path_link_steps` for it.
    """
    together = {passage["chunk"]: _together(passage, pair) for passage in row["passages"]}
    found = [*_facts(row["facts"], together), *(_link(link, pair) for link in links), *together.values()]
    return sorted(found, key=lambda each: (each.cost, each.sentences, each.chunk, each.predicate, each.text))


def stated(
    way: Sequence[str], steps: Sequence[Sequence[Statement]], ambiguous: Set[str]
) -> tuple[Statement, ...] | None:
    """The closest statements of a way's steps that fit one another; None if there are none.

    No passage brings two steps together: that it mentions three names says of no two of them that they belong together
    more than of any others. Two facts in it do, and links do. And a name that may be part of several stands for one of
    them: "Burton" for Cliff Burton in both of its passages, not for Hilarie Burton in one. Likewise two links meet at
    one document, where several have the name as their titles.

    Args:
        steps: one fewer than the way has names.
        ambiguous: names that may be part of several.
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
    """Of each name between: itself, and the longer names of which it may be a part in its two passages."""
    return [
        {name} | (before.longer.get(name, set()) | after.longer.get(name, set()) if name in ambiguous else set())
        for name, (before, after) in zip(way[1:], pairwise(chosen), strict=False)
    ]


def _fit(first: Statement, second: Statement, name: str, ambiguous: Set[str]) -> bool:
    """Whether they may follow one another, with this name between them."""
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
    """Of a fact that came without its sentence (OpenIE) those that mention the names.

    "Is" alone says no more than that a sentence has both names: it stands for every apposition and list.
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
    """How close two names are in a passage that mentions both; what a title says is in no sentence."""
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
