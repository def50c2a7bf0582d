"""A restricted view of a corpus: no retriever reveals anything of other documents."""

from __future__ import annotations

import asyncio
import os
import random
import re
from dataclasses import asdict
from datetime import UTC, datetime

import pytest
from tests.passages import OpenCorpus

from overstory.errors import (
    DocumentNotFound,
    EntityNotFound,
    FilterError,
    IndexMissing,
    MetadataNotFound,
    QuestionError,
)
from overstory.filters import field
from overstory.knowledge import Knowledge
from overstory.knowledge.restricted_knowledge import RestrictedKnowledge
from overstory.model import Document, Evidence
from overstory.retrieve import question_entities

TREES = ("serag", "hirag", "hirag-layers", "tretriever")
CORE = ("dense", "lexical", "hybrid", "canopy")
FILTERS = int(os.environ.get("OVERSTORY_TEST_FILTERS", "12"))
"""Random filters; 1,000 of them take a quarter of an hour."""
TODAY = datetime.now(UTC).date().toordinal()
"""The seed of the filters, others every day."""
SIZE = 18
SYLLABLES = (
    "bra",
    "dul",
    "fen",
    "gor",
    "hyl",
    "jut",
    "kav",
    "lom",
    "mip",
    "nes",
    "pol",
    "quin",
    "ros",
    "tav",
    "vur",
    "wex",
)


def word(number: int) -> str:
    """A name that no other number has."""
    first, second = divmod(number, len(SYLLABLES))
    return (SYLLABLES[first % len(SYLLABLES)] + SYLLABLES[second] + SYLLABLES[-1 - second]).capitalize()


def tokens(number: int) -> set[str]:
    """Return the words that occur only in a document, or in it and the one before it."""
    return {word(number), word(100 + number), word(300 + number), f"Key{word(200 + number)}", f"Owner{number:03}"}


DOCUMENTS = [
    Document(
        "files",
        f"Key{word(200 + number)}",
        f"{word(number)} Smith was born in {word(100 + number)} near {word(300 + number)}. {word(number)} Smith works "
        f"for Harbour Press. Harbour Press is in Leith. {word(number)} Smith knows {word((number + 1) % SIZE)} Smith.",
        f"{word(number)} Smith",
        {"number": number, "owner": f"Owner{number:03}", f"only {number % 6}": True},
    )
    for number in range(SIZE)
]


@pytest.fixture(scope="module")
def people(open_module_corpus: OpenCorpus, systems: list[str]) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index(systems=systems)
    return knowledge


def secrets(allowed: set[int], question: str) -> set[str]:
    """Return the words that occur neither in allowed documents nor in the question."""
    said = " ".join([question, *(DOCUMENTS[number].text for number in allowed)])
    every = set().union(*map(tokens, range(SIZE)))
    own = set().union(*map(tokens, allowed))
    return {token for token in every - own if token not in said}


def told(evidence: Evidence) -> str:
    return str([asdict(hit) for hit in (*evidence.hits, *evidence.sources)]) + str(evidence.parts) + str(evidence.notes)


def all_told(people: Knowledge, part: RestrictedKnowledge, known: int, hidden: int) -> str:
    """Return everything that entities, paths, trees and reports show of a restricted view."""
    said = [str([asdict(name) for name in part.entities(limit=1_000)]), str(part.entities(like=word(hidden)))]
    for start, end in ((word(known), "Harbour Press"), (word(known), word((known + 1) % SIZE)), ("Leith", "Zyqx")):
        try:
            said.append(str(asdict(part.paths(f"{start} Smith" if start != "Leith" else start, end, k=5))))
        except EntityNotFound as error:
            said.append(f"{error} {error.remedy} {error.unknown}".replace(end, ""))
    for name in (f"{word(known)} Smith", "Harbour Press", "Leith", f"{word(hidden)} Smith"):
        try:
            said.append(str(asdict(part.entity(name, limit=100))))
        except EntityNotFound as error:
            said.append(f"{error} {error.remedy}".replace(name, ""))
    for tree in TREES:
        try:
            said.append(str(asdict(part.tree(depth=4, limit=100, tree=tree))))
            whole = people.tree(depth=3, limit=100, tree=tree).community
            for each in (*whole.communities, *(below for above in whole.communities for below in above.communities)):
                try:
                    said.append(str(asdict(part.tree(each.id, tree=tree))))
                except QuestionError as error:
                    said.append(f"{error} {error.remedy}")
        except IndexMissing:
            continue
    for level in (None, 1, 2):
        try:
            found = part.reports(limit=100, level=level)
            said.append(str(asdict(found)))
            said += [str(asdict(part.report(each.id))) for each in found.reports]
        except (IndexMissing, QuestionError):
            continue
    return "\n".join(said)


@pytest.mark.parametrize("filters", [3, pytest.param(FILTERS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("seed", [TODAY])
def test_nothing_of_other_documents_is_told(people: Knowledge, systems: list[str], seed: int, filters: int) -> None:
    draw = random.Random(seed)  # noqa: S311
    for _ in range(filters):
        allowed = set(draw.sample(range(SIZE), draw.randint(1, SIZE - 2)))
        part = people.restricted_to(field("number").one_of(*allowed))
        hidden = draw.choice(sorted(set(range(SIZE)) - allowed))
        for question in (
            f"Where was {word(hidden)} Smith born, and who knows {word(min(allowed))} Smith?",
            "Who works for Harbour Press in Leith?",
        ):
            for retriever in (*CORE, *systems):
                evidence = part.search(question, 4, retriever=retriever)
                leaked = {token for token in secrets(allowed, question) if token in told(evidence)}
                assert not leaked, (retriever, sorted(allowed), question)
                assert len(evidence.hits) == min(4, len(allowed)), retriever
                assert all(hit.metadata["number"] in allowed for hit in evidence.hits)
        leaked = secrets(allowed, "") & set(re.findall(r"\w+", all_told(people, part, min(allowed), hidden)))
        assert not leaked - {word(hidden), word((min(allowed) + 1) % SIZE)}, sorted(allowed)
        answer = part.ask(f"Where was {word(hidden)} Smith born?")
        assert word(100 + hidden) not in answer.text + str(answer.notes)
        assert sorted(str(each.metadata["number"]) for each in part.documents()) == sorted(map(str, allowed))
        assert part.count_documents() == len(allowed)


def test_what_only_others_have_is_as_unknown_as_what_nobody_has(people: Knowledge) -> None:
    part = people.restricted_to("number in (0, 1, 2)")
    for retriever in CORE:
        hidden, nobody = (
            part.search(f"What does {name} do?", 3, retriever=retriever) for name in (f"{word(9)} Smith", "Zyqx Smith")
        )
        assert hidden.notes == nobody.notes
        assert {reason.kind for hit in hidden.hits for reason in hit.reasons} == {
            reason.kind for hit in nobody.hits for reason in hit.reasons
        }
    messages = []
    for key in ("only 5", "no such key"):
        with pytest.raises(MetadataNotFound) as caught:
            part.search("Who?", where=field(key).exists())
        messages.append((str(caught.value).replace(key, "KEY"), caught.value.remedy, caught.value.nearest))
    assert messages[0] == messages[1]


def test_a_filter_of_a_question_narrows_and_never_widens(people: Knowledge) -> None:
    part = people.restricted_to("number < 5")
    found = part.search("Who works for Harbour Press?", 9, where="number > 3 or number > 10 or not owner exists")
    assert [hit.metadata["number"] for hit in found.hits] == [4]
    assert not part.search("Who works for Harbour Press?", 9, where="not number < 5").hits
    assert [each.metadata["number"] for each in part.documents(where="number >= 4")] == [4]
    assert part.conversation().ask("Who works for Harbour Press?").citations
    with pytest.raises(FilterError, match="cannot be remembered"):
        part.ask("Who works for Harbour Press?", remember=True)
    with pytest.raises(MetadataNotFound, match="'numbr'"):
        people.restricted_to("numbr < 5")


def test_a_document_left_out_is_as_unknown_as_one_that_nobody_has(people: Knowledge) -> None:
    part = people.restricted_to("number < 5")
    seen, hidden = (next(people.documents(where=f"number = {number}")) for number in (4, 5))
    assert part.document(seen.id) == people.document(seen.id)
    assert part.document_passages(seen.id) == people.document_passages(seen.id) != []

    def refusal(document: str) -> str:
        messages = set[str]()
        for read in (part.document, part.document_passages):
            with pytest.raises(DocumentNotFound) as caught:
                read(document)
            messages.add(str(caught.value).replace(document, "…"))
        (message,) = messages
        return message

    assert people.document(hidden.id)
    assert refusal(hidden.id) == refusal("nobody has this")


def test_there_is_nothing_but_what_can_be_filtered() -> None:
    public = {name for name in dir(RestrictedKnowledge) if not name.startswith("_")}
    assert public == {
        *("search", "asearch", "ask", "aask", "astream", "conversation", "documents", "count_documents"),
        *("document", "document_passages", "entity_passages", "trees"),
        *("paths", "entity", "entities", "tree", "reports", "report", "chat", "extractor", "threads"),
    }


def test_asynchronous_questions_are_restricted_too(people: Knowledge) -> None:
    part = people.restricted_to("number < 5")

    async def ask() -> None:
        found = await part.asearch("Who works for Harbour Press?", 9, where="number > 3 or number > 10")
        assert [hit.metadata["number"] for hit in found.hits] == [4]
        pieces: list[str] = []
        answer = await part.aask("Where was Smith born?", on_text=pieces.append)
        assert answer.text == "".join(pieces)
        assert {int(citation.source_key != "") for citation in answer.citations} <= {1}
        async with part.astream("Where was Smith born?", where="number = 4") as stream:
            assert (await stream.answer()).text
        with pytest.raises(FilterError, match="cannot be remembered"):
            await part.aask("Where was Smith born?", remember=True)

    asyncio.run(ask())


def test_names_and_paths_of_others_are_as_unknown_as_those_of_nobody(people: Knowledge) -> None:
    part = people.restricted_to("number in (0, 1, 2)")
    said = []
    for name in (f"{word(9)} Smith", "Zyqx Smith"):
        with pytest.raises(EntityNotFound) as caught:
            part.paths(f"{word(0)} Smith", name)
        said.append(str(caught.value).replace(name, "NAME"))
        with pytest.raises(EntityNotFound) as alone:
            part.entity(name)
        for error in (caught.value, alone.value):
            assert set(error.suggestions) <= {each.name for each in part.entities(limit=1_000)}
        said[-1] += str(alone.value).replace(name, "NAME")
    assert said[0] == said[1]
    assert part.paths(f"{word(0)} Smith", "Harbour Press").paths
    harbour = {fact.source_key for fact in part.entity("Harbour Press").facts}
    assert harbour <= {DOCUMENTS[n].source_key for n in range(3)}
    assert f"{word(1)} Smith" in {name.name for name in part.entities()}


def test_a_name_of_more_passages_than_are_looked_at_is_known_by_the_documents(
    people: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Who works for Harbour Press?"
    part = people.restricted_to("number in (3, 17)")
    expected = part.search(question, 4)
    assert all("rest" in [reason.kind for reason in hit.reasons] for hit in expected.hits)  # the question names it
    monkeypatch.setattr(question_entities, "_MOST_PASSAGES_LOOKED_AT", 1)
    assert part.search(question, 4) == expected
