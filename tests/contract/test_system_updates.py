"""The contract of every system while its corpus changes and its runs are killed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import pytest
from tests.contract.system_contents import NAMES, content_of, graph_of, texts_of
from tests.kills import KillableKnowledge, open_killable
from tests.passages import OpenCorpus, hotpotqa, passage
from tests.stored_vectors import VectorCounts, count_vectors

from overstory.errors import IndexMissing
from overstory.graph.gds import projections
from overstory.knowledge import Knowledge
from overstory.systems import find_system
from overstory.systems.state import read_state

pytestmark = pytest.mark.usefixtures("outside")

DOCUMENTS = hotpotqa(0, 16)
FESTIVAL = passage(
    "festival",
    "Demon Dice",
    "Demon Dice was shown at the Quixotrope by Tim Brown. Zorgwald Fnarr of Mumbai likes Lester Smith.",
)
"""Says things that no other passage says, of names that others say, and changes less than a fifth of an index."""
WORDS = ("quixotrope", "zorgwald")
OF_ONE_RUN = (
    "_seconds",
    "texts_embedded",
    "_tokens",
    "_written",
    "_summarised",
    "_changed",
    "_gone",
    "kept_descriptions",
)
"""Ends of the names of figures that say what a run did, not what is there."""
QUESTION = "Who designed the dice game Demon Dice?"
PLACING = {"serag"}
"""The systems that place a small change in what is there, and cluster the whole later."""
WHOLE = {"hirag", "serag", "tretriever"}
"""The systems whose readers see all of a change at once, or nothing of it."""
WITHOUT_WORDS = {"serag", "toy"}
"""The systems that store no text of a passage."""


@dataclass(frozen=True)
class Found:
    """The result of a question: keys of documents, and other parts with their passages."""

    hits: list[str]
    parts: list[tuple[str, str, list[str]]]


@dataclass(frozen=True)
class Contents:
    """All of a corpus and of a system's index that two runs must agree in."""

    digest: str
    graph: list[Any]
    nodes: list[Any]
    vectors: VectorCounts
    figures: dict[str, float]
    found: Found
    said: set[str]
    placed: int
    pending: int
    notes: tuple[str, ...]


def contents(knowledge: Knowledge, name: str) -> Contents:
    (report,) = knowledge.system_reports()
    corpus = knowledge.status().corpus
    state = read_state(find_system(name), corpus)
    assert state is not None
    texts = texts_of(knowledge, find_system(name))
    assert projections(knowledge.graph) == []
    return Contents(
        digest=knowledge.digest(),
        graph=[row for some in graph_of(knowledge) for row in some],
        nodes=content_of(knowledge, find_system(name)),
        vectors=count_vectors(knowledge.graph, corpus),
        figures={f: round(value, 3) for f, value in report.figures.items() if not f.endswith(OF_ONE_RUN)},
        found=found_by(knowledge, name),
        said={word for word in WORDS if word in texts},
        placed=state.placed,
        pending=report.pending,
        notes=report.notes,
    )


def found_by(knowledge: Knowledge, name: str) -> Found:
    """Scores, and the text of a part below its title, differ in the last digits, or in the order of equal scores."""
    found = knowledge.search(QUESTION, len(DOCUMENTS) + 1, retriever=name)
    hits = [hit.source_key for hit in found.hits]
    parts: list[tuple[str, str, list[str]]] = []
    for _, equal in itertools.groupby(found.parts, key=lambda part: (part.kind, round(part.score, 3))):
        parts += sorted((part.kind, part.title, sorted(set(part.chunks))) for part in equal)
    return Found(hits, parts)


def assert_same(one: Contents, other: Contents) -> None:
    for each in fields(Contents):
        here, there = getattr(one, each.name), getattr(other, each.name)
        if isinstance(here, list):  # what differs alone
            here, there = [x for x in here if x not in there], [x for x in there if x not in here]
        assert here == there, each.name
    assert one == other


def delete(knowledge: Knowledge) -> None:
    """Deletes the festival, as far as it is still there."""
    knowledge.delete_documents([each.id for each in knowledge.documents() if each.source_key == FESTIVAL.source_key])


STEPS = ("build", "addition", "deletion", "update after it", "improvement")


def run(step: str, knowledge: Knowledge, name: str) -> None:
    """A part of an index' life."""
    if step == "build":
        knowledge.index(systems=[name])
    elif step == "deletion":
        delete(knowledge)
    else:
        knowledge.index(improve=step == "improvement")


def begin(step: str, knowledge: Knowledge) -> None:
    """Prepare a step, outside of what the step measures."""
    if step == "addition":
        knowledge.ingest_documents(FESTIVAL)


def writer_of(step: str, name: str) -> str:
    """With whose writes a step begins."""
    return "" if step == "deletion" else name


@dataclass(frozen=True)
class Life:
    """An index without interruptions: its writes at each step, and its contents afterwards."""

    knowledge: KillableKnowledge
    reader: Knowledge
    name: str
    writes: dict[str, list[str]]
    after: dict[str, Contents]


@pytest.fixture(scope="module")
def corpora(open_module_corpus: OpenCorpus) -> tuple[KillableKnowledge, Knowledge]:
    """A corpus without the index of a system, as two processes see it."""
    knowledge = open_killable(open_module_corpus)
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    return knowledge, open_module_corpus()


@pytest.fixture(scope="module", params=NAMES)
def life(request: pytest.FixtureRequest, outside: None, corpora: tuple[KillableKnowledge, Knowledge]) -> Iterator[Life]:
    """Yield the life of one system after the other."""
    knowledge, reader = corpora
    life = Life(knowledge, reader, str(request.param), {}, {})
    for step in STEPS:
        begin(step, knowledge)
        with knowledge.graph.counted(writer_of(step, life.name)) as life.writes[step]:
            run(step, knowledge, life.name)
        life.after[step] = contents(reader, life.name)
        assert step == "deletion" or not life.after[step].vectors.unused + life.after[step].vectors.awaited
    yield life
    knowledge.remove_system(life.name)
    delete(knowledge)


@pytest.mark.parametrize(
    "moment", ["between", *(pytest.param(each, marks=pytest.mark.slow) for each in ("first", "last"))]
)
def test_an_index_that_is_killed_at_every_step_is_as_one_that_was_not(life: Life, moment: str) -> None:
    knowledge, reader, name = life.knowledge, life.reader, life.name
    knowledge.remove_system(name)
    delete(knowledge)
    before: Contents | None = None
    for step in STEPS:
        begin(step, knowledge)
        writes, after = life.writes[step], life.after[step]
        if writes:
            drawn = random.Random(f"{name} {step}").randint(2, max(2, len(writes) - 1))  # noqa: S311 # to be repeated
            number = {"first": 1, "last": 0, "between": drawn}[moment]
            with knowledge.graph.killed_at(number, of=writer_of(step, name), last=writes[-1]):
                run(step, knowledge, name)
            try:
                found = found_by(reader, name)
            except IndexMissing:
                assert before is None
            else:
                assert found.hits
                if name in WHOLE and step != "deletion":  # after which stages bring names up to date
                    assert found.parts in [each.found.parts for each in (before, after) if each is not None]
        run(step, knowledge, name)
        assert_same(contents(reader, name), after)
        before = after


def test_all_steps_are_killed_but_those_in_which_there_is_nothing_to_do(life: Life) -> None:
    idle = {step for step, writes in life.writes.items() if not writes}
    assert idle <= {"update after it", "improvement"}
    assert life.name not in PLACING or not idle
    assert all(writes.count(writes[-1]) == 1 for writes in life.writes.values() if writes)


def test_a_small_change_is_placed_or_read_and_can_be_asked_for_at_once(life: Life) -> None:
    built, added = life.after["build"], life.after["addition"]
    assert (added.placed > 0) == (life.name in PLACING)
    assert any("index --improve" in note for note in added.notes) == (life.name in PLACING)
    assert FESTIVAL.source_key in added.found.hits
    assert FESTIVAL.source_key not in built.found.hits
    assert added.said == (set() if life.name in WITHOUT_WORDS else set(WORDS))


def test_nothing_that_a_deleted_document_said_is_left_after_the_next_run(life: Life) -> None:
    for step in ("deletion", "update after it"):
        assert not any(word in str(life.after[step].found).casefold() for word in WORDS)
    assert not life.after["update after it"].said
    assert life.after["update after it"].placed >= life.after["addition"].placed


def test_an_index_in_which_changes_were_placed_is_improved_to_what_a_build_makes(life: Life) -> None:
    assert_same(life.after["improvement"], life.after["build"])
