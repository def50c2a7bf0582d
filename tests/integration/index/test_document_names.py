"""Names that a document uses for one entity: last names, first names and acronyms. The index stages merge them."""

from __future__ import annotations

import pytest
from tests.integration.index.test_name_edits import asked_for
from tests.passages import OpenCorpus, passage

from overstory.errors import EntityNotFound
from overstory.knowledge import Knowledge

MINUTES = passage(
    "minutes",
    "Minutes",
    "Dora Whelan chaired the meeting in Paris. Paul Bergman kept the minutes.\n\n"
    "Then Whelan thanked Bergman for his work in Berlin. Whelan closed the meeting.",
)
LETTER = passage("letter", "Letter", "Anna Bergman met Paul Bergman in Vienna. Later Bergman moved to London.")
AGENCY = passage(
    "agency", "Agency", "The European Space Agency (ESA) has its seat in Paris. ESA launched a probe in French Guiana."
)
PROBE = passage("probe", "Probe", "The probe of ESA reached Mars. Dora Whelan saw it.")
DOCUMENTS = (MINUTES, LETTER, AGENCY, PROBE)


def parsed(knowledge: Knowledge) -> dict[str, set[str]]:
    """The spellings of each entity that a parser found, by name."""
    return {entity.name: set(entity.aliases) for entity in knowledge.entities(limit=100)}


def test_a_document_s_short_names_are_the_entity_that_they_stand_for(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    listed = parsed(knowledge)
    assert "Whelan" in listed["Dora Whelan"]
    assert "Bergman" in listed["Paul Bergman"]  # in the minutes; in the letter, it may be either of two
    assert "Bergman" not in listed.get("Anna Bergman", set())
    assert "ESA" in listed["European Space Agency"]
    assert not listed.keys() & {"Whelan", "Bergman"}
    assert {merged.name: merged.reason for merged in knowledge.entity("Dora Whelan").merged} == {"Whelan": "part"}
    assert {m.name: m.reason for m in knowledge.entity("European Space Agency").merged} == {"ESA": "abbreviation"}
    assert sum(votes.mentions for votes in knowledge.entity("Dora Whelan").votes) == 4
    assert asked_for(knowledge, "What did Whelan close?") == ["Dora Whelan"]
    assert knowledge.entity("Whelan").name == "Dora Whelan"
    assert "ESA" in listed  # another document has nothing but the acronym
    assert not knowledge.index().done


def test_neither_the_order_of_documents_nor_updates_change_the_result(open_corpus: OpenCorpus) -> None:
    grown, fresh = open_corpus("grown"), open_corpus("fresh")
    for document in DOCUMENTS:
        grown.ingest_documents([document])
        grown.index()
    fresh.ingest_documents(DOCUMENTS[::-1])
    fresh.index()
    assert grown.digest() == fresh.digest()
    before = grown.digest()
    second = passage("minutes", "Minutes", f"{MINUTES.text}\n\nPaul Whelan left the meeting early, with Anna Smith.")
    grown.ingest_documents([second])
    grown.index()
    assert not {"Whelan"} & parsed(grown)["Dora Whelan"]
    assert grown.digest() != before
    grown.ingest_documents([MINUTES])
    grown.index()
    assert grown.digest() == before


def test_a_dismissed_merge_is_undone_and_can_return(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([MINUTES, PROBE])
    knowledge.index()
    merged = knowledge.digest()
    knowledge.dismiss_merge("Whelan", "Dora Whelan")
    knowledge.index()
    assert "Whelan" in parsed(knowledge)
    assert not knowledge.entity("Dora Whelan").merged
    knowledge.undo_dismissed_merge("Whelan", "Dora Whelan")
    knowledge.index()
    assert knowledge.digest() == merged


def test_edits_by_hand_override_the_document(open_corpus: OpenCorpus) -> None:
    knowledge, fresh = open_corpus(), open_corpus("fresh")
    knowledge.ingest_documents([MINUTES, PROBE])
    knowledge.index()
    before = knowledge.digest()
    knowledge.hide_entities("Whelan")
    knowledge.merge_entities("Bergman", "Dora Whelan")
    knowledge.index()
    assert "Whelan" not in parsed(knowledge)["Dora Whelan"]
    assert "Bergman" in parsed(knowledge)["Dora Whelan"]
    with pytest.raises(EntityNotFound, match="hidden by hand"):
        knowledge.entity("Whelan")
    fresh.ingest_documents([PROBE])
    fresh.hide_entities("Whelan", future=True)
    fresh.merge_entities("Bergman", "Dora Whelan", future=True)
    fresh.ingest_documents([MINUTES])
    fresh.index()
    assert fresh.digest() == knowledge.digest()
    knowledge.undo_entity_edit()
    knowledge.undo_entity_edit()
    knowledge.index()
    assert knowledge.digest() == before
