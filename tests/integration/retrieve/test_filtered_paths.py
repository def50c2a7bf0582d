"""Paths among the documents that a filter lets through: as if there were no others."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Iterator

import pytest
from tests.passages import OpenCorpus

from overstory.errors import EntityNotFound, FilterError, MetadataNotFound
from overstory.filters import field
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Document, Extraction, FactStatement, Link, Mention

NAMES = [f"{first} {last}" for first in ("Ada", "Bob", "Cid", "Dan") for last in ("Fern", "Holt", "Marsh")]
DOCUMENTS = 30


class NamesOfTwoWords:
    """An extractor that takes two capitalised words for a name; "met" between two is a fact."""

    fingerprint = "names of two words that meet"
    by = "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            found = list(re.finditer(r"[A-Z]\w+ [A-Z]\w+", chunk.text))
            mentions = tuple(Mention(m.group(), "PERSON", 0, m.start(), m.end()) for m in found)
            facts = tuple(
                FactStatement(a.group(), "meet", b.group(), 0, place, place, place + 1)
                for place, (a, b) in enumerate(itertools.pairwise(found))
                if chunk.text[a.end() : b.start()] == " met "
            )
            yield Extraction(chunk.id, (0,), mentions, facts)


def documents() -> list[Document]:
    """Each says that two or three names met, or that they were there."""
    draw = random.Random(4)  # noqa: S311 # the same every time
    made: list[Document] = []
    for number in range(DOCUMENTS):
        names = draw.sample(NAMES, draw.choice((2, 2, 3)))
        text = f"{draw.choice((' met ', ' knew ')).join(names)}."
        made.append(Document("notes", str(number), text, metadata={"number": number}))
    return made


@pytest.fixture(scope="module")
def met(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus(extractor=NamesOfTwoWords())
    knowledge.ingest_documents(documents())
    knowledge.index()
    return knowledge


def reached(texts: Iterable[str]) -> dict[str, set[str]]:
    """Names that stand together in a text."""
    ways: dict[str, set[str]] = {}
    for text in texts:
        for one, other in itertools.permutations(re.findall(r"[A-Z]\w+ [A-Z]\w+", text), 2):
            ways.setdefault(one, set()).add(other)
    return ways


@pytest.mark.slow
def test_every_step_stands_in_a_matching_document_and_no_connection_is_missed(met: Knowledge) -> None:
    draw = random.Random(5)  # noqa: S311
    texts = [document.text for document in documents()]
    found_any = 0
    for _ in range(25):
        allowed = draw.sample(range(DOCUMENTS), draw.randint(3, 20))
        ways = reached(texts[number] for number in allowed)
        start, end = draw.sample(NAMES, 2)
        where = field("number").one_of(*allowed)
        if start not in ways or end not in ways:
            with pytest.raises(EntityNotFound) as caught:
                met.paths(start, end, where=where)
            assert set(caught.value.unknown) == {start, end} - ways.keys()
            assert {name for names in caught.value.unknown.values() for name in names} <= ways.keys()
            continue
        found = met.paths(start, end, where=where, k=5, steps=3)
        for path in found.paths:
            assert len(path.steps) == len(path.names) - 1
            for step in path.steps:
                assert int(step.source_key) in allowed
                together = sum(step.start in texts[number] and step.end in texts[number] for number in allowed)
                assert step.more == together - 1
        assert (end in ways[start]) == any(len(path.steps) == 1 for path in found.paths)
        found_any += len(found.paths) > 1
    assert found_any > 3


def test_links_count_where_both_documents_match(open_corpus: OpenCorpus) -> None:
    films = open_corpus(extractor=NamesOfTwoWords())
    actor = Document("films", "1", "He acts.", "Ada Fern", {"kind": "person", "seen": True})
    film = Document("films", "2", "It is long.", "Bob Marsh", {"kind": "film", "seen": True})
    last = Document("films", "3", "She directs.", "Cid Holt", {"kind": "person", "seen": False})
    links = [Link("films", "1", "2", type="ACTED_IN"), Link("films", "3", "2", type="DIRECTED")]
    films.ingest_documents([actor, film, last, *links])
    films.index()
    assert len(films.paths("Ada Fern", "Cid Holt").paths[0].steps) == 2
    assert len(films.paths("Ada Fern", "Bob Marsh", where="seen = true").paths) == 1
    assert not films.paths("Ada Fern", "Cid Holt", where="kind = 'person'").paths
    with pytest.raises(EntityNotFound, match="that matches the filter mentions the name 'Cid Holt'"):
        films.paths("Ada Fern", "Cid Holt", where="seen = true")


def test_names_are_written_as_in_the_matching_documents(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus(extractor=NamesOfTwoWords())
    said = ["Ada Fern knew Bob Holt.", "Ada Fern knew Bob Holt.", "Áda Fern knew Bob Holt."]
    knowledge.ingest_documents([Document("notes", str(n), text, metadata={"n": n}) for n, text in enumerate(said)])
    knowledge.index()
    assert knowledge.paths("ada fern", "bob holt").start == "Ada Fern"
    assert knowledge.paths("ada fern", "bob holt", where="n = 2").start == "Áda Fern"


def test_a_filter_that_cannot_be_answered_is_an_error(met: Knowledge) -> None:
    with pytest.raises(FilterError, match="page and section"):
        met.paths("Ada Fern", "Bob Holt", where="page = 1")
    with pytest.raises(MetadataNotFound):
        met.paths("Ada Fern", "Bob Holt", where="numbr = 1")
    with pytest.raises(EntityNotFound) as caught:
        met.paths("Ada Fern", "Bob Holt", where="number > 1000")
    assert "No document matches the filter" in caught.value.remedy
