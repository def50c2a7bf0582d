"""Paths between names in a graph that is small enough to know by heart, with one name that everybody mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pytest
from tests.passages import OpenCorpus, passage

from overstory.errors import CorpusNotFound, EntityNotFound, IndexMissing, QuestionError
from overstory.knowledge import Knowledge
from overstory.model import ChunkText, Extraction, FactStatement, Mention
from overstory.model.entity_paths import EntityPaths
from overstory.retrieve.entity_paths.expansion import MOST_PASSAGES_OF_A_NAME

LONG = f"Then {'it rained and ' * 60}it snowed."  # a passage of its own
MORE = f"\n\n{LONG}"
DOCUMENTS = (
    # From Ada Quill to Rome Port: through Bob Stone by facts, through Cid Marsh by passages, by three steps.
    passage("ada", "", "Ada Quill met Bob Stone."),
    passage("bob", "", "It began to rain. Bob Stone visited Rome Port."),
    passage("tea", "", "One day Ada Quill drank tea. The rain went on. Then came Cid Marsh."),
    passage("sea", "", "One often sees Cid Marsh on the quay of Rome Port."),
    passage("dan", "", "Ada Quill taught Dan Fern."),
    passage("eve", "", "Dan Fern loved Eve Holt."),
    passage("end", "", "Eve Holt left Rome Port."),
    # From Ada Quill to Max Weir: only through the name that everybody mentions.
    passage("hub", "", "Ada Quill joined Grand Hub."),
    passage("max", "", "Max Weir left Grand Hub."),
    # From Ida Lund to Oslo Bay: the shortest way goes through a name that tells little, in passages that say it apart.
    passage("ida", "", "One day Ida Lund woke up. It rained. It snowed. So it went on. Nobody knew Old Town."),
    passage("old", "", "Who knows Old Town? Nobody did. It rained. It snowed. So they asked for Oslo Bay."),
    passage("jon", "", "Ida Lund wed Jon Birk."),
    passage("kim", "", "Jon Birk knew Kim Voss."),
    passage("bay", "", "Kim Voss saw Oslo Bay."),
    # Two names in one letter, and two in a long book.
    passage("letter", "", f"Pia Lorn asks for a key. {LONG}\n\n{LONG} With greetings from Uma Reed."),
    passage("book", "", f"Wim Dorn begins. {LONG}{MORE * 31} So ends Xia Pohl."),
    # Two people of one family name.
    passage("cliff", "", "Cliff Burton taught Lou Reiss, as Burton did."),
    passage("hilarie", "", "Hilarie Burton taught Amy Noll, as Burton did."),
    *(
        passage(f"o{n}", "", f"Grand Hub grew by {n}." + (" Old Town did." if n < MOST_PASSAGES_OF_A_NAME - 20 else ""))
        for n in range(MOST_PASSAGES_OF_A_NAME)
    ),
)
NAME = r"[A-Z]\w+ [A-Z]\w+|Burton"


class NamesOfTwoWords:
    """An extractor that takes two capitalised words for a name, and a sentence of two names and a verb for a fact."""

    fingerprint = "names of two words"
    by = "ner"

    def extract(self, chunks: Iterable[ChunkText]) -> Iterator[Extraction]:
        for chunk in chunks:
            starts = [0, *(match.end() for match in re.finditer(r"[.?] (?=\S)", chunk.text))]
            mentions = tuple(
                Mention(m.group(), "PERSON", sum(start <= m.start() for start in starts) - 1, m.start(), m.end())
                for m in re.finditer(NAME, chunk.text)
            )
            places = {mention.start: place for place, mention in enumerate(mentions)}
            facts = tuple(
                FactStatement(
                    subject=m[1],
                    predicate=m[2],
                    object=m[3],
                    sentence=mentions[places[m.start(1)]].sentence,
                    position=position,
                    subject_mention=places[m.start(1)],
                    object_mention=places[m.start(3)],
                )
                for position, m in enumerate(re.finditer(rf"({NAME}) (\w+) ({NAME})\.", chunk.text))
            )
            yield Extraction(chunk.id, tuple(starts), mentions, facts)


@pytest.fixture(scope="module")
def knowledge(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus(extractor=NamesOfTwoWords())
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    return knowledge


def shown(found: EntityPaths) -> list[str]:
    return [str(path) for path in found.paths]


def test_each_step_of_a_path_has_the_sentence_that_states_it(knowledge: Knowledge) -> None:
    found = knowledge.paths("ada quill", "ROME PORT", k=1)
    assert (found.start, found.end) == ("Ada Quill", "Rome Port")
    assert shown(found) == ["Ada Quill → Bob Stone → Rome Port"]
    first, second = found.paths[0].steps
    assert (first.kind, first.statement, first.sentences) == (
        "fact",
        "Ada Quill – met – Bob Stone",
        ("Ada Quill met Bob Stone.",),
    )
    assert (second.predicate, second.sentences, second.source_key) == (
        "visited",
        ("Bob Stone visited Rome Port.",),
        "bob",
    )


def test_the_best_paths_go_through_different_names(knowledge: Knowledge) -> None:
    found = knowledge.paths("Ada Quill", "Rome Port", k=5)
    assert shown(found) == [
        "Ada Quill → Bob Stone → Rome Port",
        "Ada Quill → Cid Marsh → Rome Port",
        "Ada Quill → Dan Fern → Eve Holt → Rome Port",
    ]
    assert [path.cost for path in found.paths] == sorted(path.cost for path in found.paths)
    (apart, near) = found.paths[1].steps
    assert (apart.kind, near.kind) == ("passage", "sentence")
    assert apart.sentences == ("One day Ada Quill drank tea.", "Then came Cid Marsh.")
    assert len(knowledge.paths("Ada Quill", "Rome Port", k=2).paths) == 2


def test_a_path_leads_back_as_it_leads_there(knowledge: Knowledge) -> None:
    there = knowledge.paths("Ada Quill", "Rome Port").paths
    back = knowledge.paths("Rome Port", "Ada Quill").paths
    assert [path.names[::-1] for path in back] == [path.names for path in there]
    assert [path.cost for path in back] == [path.cost for path in there]


def test_the_shortest_path_comes_first_though_others_are_better(knowledge: Knowledge) -> None:
    found = knowledge.paths("Ida Lund", "Oslo Bay")
    assert shown(found) == ["Ida Lund → Old Town → Oslo Bay", "Ida Lund → Jon Birk → Kim Voss → Oslo Bay"]
    assert found.paths[0].cost > found.paths[1].cost


def test_a_short_document_connects_two_names(knowledge: Knowledge) -> None:
    (path,) = knowledge.paths("Uma Reed", "Pia Lorn").paths
    (step,) = path.steps
    assert (str(path), step.kind, path.cost) == ("Uma Reed → Pia Lorn", "document", 2.2)
    assert step.sentences == ("Pia Lorn asks for a key.", "With greetings from Uma Reed.")
    assert step.source_key == "letter"


def test_a_long_document_connects_no_names(knowledge: Knowledge) -> None:
    assert not knowledge.paths("Wim Dorn", "Xia Pohl").paths


def test_a_path_has_no_more_steps_than_allowed(knowledge: Knowledge) -> None:
    assert shown(knowledge.paths("Dan Fern", "Rome Port", steps=1)) == []
    assert shown(knowledge.paths("Dan Fern", "Eve Holt", steps=1)) == ["Dan Fern → Eve Holt"]
    assert [len(path.steps) for path in knowledge.paths("Bob Stone", "Eve Holt", k=9, steps=6).paths] == [2, 3]
    assert [len(path.steps) for path in knowledge.paths("Bob Stone", "Eve Holt", k=9, steps=2).paths] == [2]


def test_no_path_goes_through_a_name_that_everybody_mentions_and_a_note_says_so(knowledge: Knowledge) -> None:
    found = knowledge.paths("Ada Quill", "Max Weir")
    assert found.paths == ()
    assert found.notes == (f"1 entity was not followed (more than {MOST_PASSAGES_OF_A_NAME} passages each): Grand Hub",)
    assert shown(knowledge.paths("Ada Quill", "Grand Hub", steps=1)) == ["Ada Quill → Grand Hub"]
    assert not knowledge.paths("Ada Quill", "Rome Port", k=1).notes


def test_a_family_name_leads_to_no_other_family(knowledge: Knowledge) -> None:
    assert shown(knowledge.paths("Lou Reiss", "Amy Noll")) == []


def test_an_unknown_name_is_answered_with_those_most_like_it(knowledge: Knowledge) -> None:
    with pytest.raises(EntityNotFound, match="'Addah Quil'") as caught:
        knowledge.paths("Rome Port", "Addah Quil")
    assert caught.value.suggestions[0] == "Ada Quill"
    assert "'Ada Quill'" in caught.value.remedy
    with pytest.raises(EntityNotFound) as caught:
        knowledge.paths("Xyzzy", "Rome Port")
    assert caught.value.suggestions == ()
    assert "overstory search Xyzzy" in caught.value.remedy
    with pytest.raises(EntityNotFound, match="mentions the names 'Rom Port' or 'Addah Quil'") as caught:
        knowledge.paths("Rom Port", "Addah Quil")
    assert {name: alike[0] for name, alike in caught.value.unknown.items()} == {
        "Rom Port": "Rome Port",
        "Addah Quil": "Ada Quill",
    }
    assert "'Rome Port' for 'Rom Port'?" in caught.value.remedy
    assert "'Ada Quill' for 'Addah Quil'?" in caught.value.remedy
    with pytest.raises(EntityNotFound, match="'Xyzzy' or 'Addah Quil'") as caught:
        knowledge.paths("Xyzzy", "Addah Quil")
    assert caught.value.remedy.startswith("Did you mean 'Ada Quill' for 'Addah Quil'?")


@pytest.mark.parametrize(
    ("start", "end", "k", "steps", "says"),
    [
        ("Ada Quill", "ada  QUILL", 3, 4, "the same entity"),
        ("Ada Quill", " ", 3, 4, "empty"),
        ("…", "Ada Quill", 3, 4, "is not a name"),
        ("Ada Quill", "Rome Port", 0, 4, "k is out of range: 0"),
        ("Ada Quill", "Rome Port", 3, 7, "steps is out of range: 7"),
    ],
)
def test_what_cannot_be_asked_is_said(
    knowledge: Knowledge, start: str, end: str, k: int, steps: int, says: str
) -> None:
    with pytest.raises(QuestionError, match=says):
        knowledge.paths(start, end, k, steps=steps)


def test_a_corpus_without_names_is_told_from_one_that_lacks_this_name(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    with pytest.raises(CorpusNotFound):
        knowledge.paths("Ada Quill", "Rome Port")
    knowledge.ingest_documents(DOCUMENTS[:1])
    with pytest.raises(IndexMissing, match="no entities yet"):
        knowledge.paths("Ada Quill", "Rome Port")
