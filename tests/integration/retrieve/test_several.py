"""Several corpora asked as one: the passages of all in one ranking, names that lead from one to another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence

import pytest
from tests.passages import CURIE, DANUBE, EINSTEIN, ULM, OpenCorpus, hotpotqa, passage
from tests.passages import PASSAGES as EVERY

from overstory.answer import Answer
from overstory.errors import (
    CorpusNotFound,
    DatabaseUnreachable,
    EmbedderMismatch,
    FilterError,
    MetadataNotFound,
    SettingsError,
)
from overstory.knowledge import Knowledge, SeveralCorpora
from overstory.model import Document, Evidence
from overstory.protocols import Vectors

QUESTION = "Which river flows through the town where Albert Einstein was born?"
NOWHERE = "bolt://127.0.0.1:9"


def loaded(knowledge: Knowledge, documents: Sequence[Document]) -> Knowledge:
    knowledge.ingest_documents(documents)
    knowledge.index()
    return knowledge


def texts(evidence: Evidence) -> list[str]:
    return [hit.text for hit in evidence.hits]


@pytest.fixture(scope="module")
def split(open_module_corpus: OpenCorpus) -> Iterator[tuple[Knowledge, SeveralCorpora]]:
    """The same passages in one corpus, and in two that are asked as one."""
    documents = [*EVERY, *hotpotqa(0, 40)]
    whole = loaded(open_module_corpus("whole"), documents)
    parts = [
        loaded(open_module_corpus("first"), [EINSTEIN, DANUBE, *documents[4::2]]),
        loaded(open_module_corpus("second"), [CURIE, ULM, *documents[5::2]]),
    ]
    with Knowledge.over(parts) as several:
        yield whole, several


@pytest.mark.parametrize("question", [QUESTION, "polonium", "Who was born in Warsaw?", "an actor of a television film"])
def test_dense_finds_the_same_passages_with_the_same_scores(
    split: tuple[Knowledge, SeveralCorpora], question: str
) -> None:
    whole, several = split
    one, both = whole.search(question, 10, retriever="dense"), several.search(question, 10, retriever="dense")
    assert texts(both) == texts(one)
    assert [hit.score for hit in both.hits] == pytest.approx([hit.score for hit in one.hits])


@pytest.mark.parametrize("retriever", ["lexical", "hybrid", "canopy"])
def test_the_best_passages_are_those_of_one_corpus(split: tuple[Knowledge, SeveralCorpora], retriever: str) -> None:
    whole, several = split
    one, both = (each.search(QUESTION, 3, retriever=retriever) for each in split)
    assert texts(one)[0] in texts(both)
    assert len(set(texts(one)) & set(texts(both))) >= 2
    assert {hit.corpus for hit in several.search(QUESTION, 20, retriever=retriever).hits} == set(several.titles)
    assert {hit.corpus for hit in whole.search(QUESTION, 20, retriever=retriever).hits} == {""}


def test_names_lead_from_one_corpus_to_another(split: tuple[Knowledge, SeveralCorpora]) -> None:
    _, several = split
    found = several.search(QUESTION, 4)
    passed = {step.source_title: step.target_title for path in found.paths for step in path.steps}
    in_corpora = {hit.title: hit.corpus for hit in (*found.hits, *found.sources)}
    assert any(in_corpora[start] != in_corpora[end] for start, end in passed.items())
    assert "Danube" in in_corpora
    assert all(hit.origin.endswith(f" in {hit.corpus}") for hit in found.hits)


def test_a_misspelt_name_is_like_those_of_all(split: tuple[Knowledge, SeveralCorpora], open_corpus: OpenCorpus) -> None:
    _, several = split
    assert several.ask("When did Albert Einstien die?").did_you_mean == {"Albert Einstien": ("Albert Einstein",)}
    text = "Albert Einstien is a dog."
    dog = Document("dogs", "other", text, "Albert Einstien", metadata={"kind": "dog"})
    other = loaded(open_corpus("of another"), [dog])
    with Knowledge.over([several.corpora[0], other]) as both:
        assert both.ask("When did Albert Einstien die?").did_you_mean == {}
        asked = both.ask("When did Albert Einstiin die?", where="kind = 'dog'")  # which one corpus has no key for
        assert asked.did_you_mean == {"Albert Einstiin": ("Albert Einstien",)}


def test_a_name_that_another_corpus_knows_is_found_in_the_texts_of_this_one(open_corpus: OpenCorpus) -> None:
    one = loaded(open_corpus("one"), [passage("a", "Notes", "The keys of Harbour Street are with zorbomat 7.")])
    other = loaded(open_corpus("other"), [passage("b", "Zorbomat 7", "It stands in the cellar of the mill.")])
    assert "Zorbomat 7" not in {name.name for name in one.entities()}
    found = Knowledge.over([one, other]).search("Where is Zorbomat 7?", 2)
    assert found.hits[0].title == "Zorbomat 7"


def test_edits_of_names_hold_for_questions_to_all(open_corpus: OpenCorpus) -> None:
    one = loaded(open_corpus("one"), [passage("a", "Big Blue", "Big Blue opened a laboratory in Leith.")])
    other = loaded(open_corpus("other"), [passage("b", "Armonk Machines", "Armonk Machines has its seat in Armonk.")])
    several = Knowledge.over([one, other])
    of = {hit.title: {reason.kind for reason in hit.reasons} for hit in several.search("Big Blue", 5).hits}
    assert "name" not in of["Armonk Machines"]
    one.merge_entities("Big Blue", "Armonk Machines", future=True)
    one.index()
    of = {hit.title: {reason.kind for reason in hit.reasons} for hit in several.search("Big Blue", 5).hits}
    assert "name" in of["Armonk Machines"]


def test_a_text_in_both_is_one_hit_that_says_where_else_it_is(open_corpus: OpenCorpus) -> None:
    one = loaded(open_corpus("one"), [passage("a", "Ulm", ULM.text, source="first.md"), CURIE])
    other = loaded(open_corpus("other"), [passage("b", "Ulm", ULM.text, source="second.md"), DANUBE])
    found = Knowledge.over([one, other]).search("Where is Ulm?", 5, retriever="dense")
    (ulm,) = [hit for hit in found.hits if hit.text == ULM.text]
    assert ulm.repeated == 1
    assert {ulm.source, *(place.source for place in ulm.repeats)} == {"first.md", "second.md"}


@pytest.fixture(scope="module")
def of_teams(open_module_corpus: OpenCorpus) -> tuple[Knowledge, Knowledge]:
    def of(source: str, team: str) -> Document:
        text = f"The key of {team} hangs beside the {source} door. Ada Huber has {team}'s spare key."
        return Document(source, team, text, f"Keys of {team}", {"team": team})

    first = loaded(open_module_corpus("teams"), [of("north", "Harbour"), of("north", "Mill")])
    second = loaded(open_module_corpus("others"), [of("south", "Harbour"), of("south", "Castle")])
    return first, second


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid", "canopy"])
def test_filters_hold_in_all(of_teams: tuple[Knowledge, Knowledge], retriever: str) -> None:
    several = Knowledge.over(of_teams)
    found = several.search("Who has the spare key?", 9, retriever=retriever, where="team = 'Harbour'")
    assert sorted(hit.source for hit in found.hits) == ["north", "south"]


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid", "canopy"])
def test_a_fixed_filter_holds_for_its_corpus(of_teams: tuple[Knowledge, Knowledge], retriever: str) -> None:
    first, second = of_teams
    several = Knowledge.over([first.restricted_to("team = 'Mill'"), second])
    found = several.search("Who has the spare key?", 9, retriever=retriever)
    assert sorted(str(hit.metadata["team"]) for hit in found.hits) == ["Castle", "Harbour", "Mill"]
    assert "north" not in {hit.source for hit in found.hits if hit.metadata["team"] == "Harbour"}
    both = several.search("Who has the spare key?", 9, retriever=retriever, where="team = 'Harbour'")
    assert [hit.source for hit in both.hits] == ["south"]
    assert several.ask("What are these documents about?").evidence.hits  # no report, which might stand on all


@pytest.mark.parametrize("retriever", ["dense", "canopy"])
def test_a_corpus_without_the_key_is_left_out(
    of_teams: tuple[Knowledge, Knowledge], open_corpus: OpenCorpus, retriever: str
) -> None:
    without = loaded(open_corpus("without"), [CURIE])
    several = Knowledge.over([of_teams[0], without])
    found = several.search("Who has the spare key?", 9, retriever=retriever, where="team = 'Mill'")
    assert [hit.title for hit in found.hits] == ["Keys of Mill"]
    assert any(without.corpus_name in note and "'team'" in note for note in found.notes)
    with pytest.raises(MetadataNotFound):
        several.search("Who has the spare key?", retriever=retriever, where="colour = 'red'")


def test_disabled_documents_are_left_out(of_teams: tuple[Knowledge, Knowledge]) -> None:
    first, second = of_teams
    several = Knowledge.over([first, second])
    first.disable_documents(["north"])
    try:
        found = several.search("Who has the spare key?", 9)
    finally:
        first.enable_documents(["north"])
    assert {hit.source for hit in found.hits} == {"south"}
    assert any("disabled" in note for note in found.notes)


@pytest.mark.parametrize("retriever", ["dense", "lexical", "hybrid", "canopy"])
def test_one_that_cannot_be_reached_is_left_out(split: tuple[Knowledge, SeveralCorpora], retriever: str) -> None:
    whole, _ = split
    away = Knowledge("away", uri=NOWHERE, settings=whole.settings)
    several = Knowledge.over([away, whole])
    for _ in range(2):
        found = several.search(QUESTION, 4, retriever=retriever)
        assert texts(found) == texts(whole.search(QUESTION, 4, retriever=retriever))
        assert [note for note in found.notes if "'away'" in note and NOWHERE in note]
    assert several.ask("Where was Albert Einstein born?", retriever=retriever).answered


def test_a_part_answers_beside_one_that_cannot_be_reached(of_teams: tuple[Knowledge, Knowledge]) -> None:
    away = Knowledge("away", uri=NOWHERE, settings=of_teams[0].settings)
    several = Knowledge.over([away, of_teams[0].restricted_to("team = 'Mill'")])
    assert [hit.title for hit in several.ask("Who has the spare key?").evidence.hits] == ["Keys of Mill"]


def test_where_none_can_be_reached_it_is_said(split: tuple[Knowledge, SeveralCorpora]) -> None:
    settings = split[0].settings
    away = [Knowledge(name, uri=NOWHERE, settings=settings) for name in ("one", "other")]
    several = Knowledge.over(away)
    for _ in range(2):
        with pytest.raises(DatabaseUnreachable, match=NOWHERE):
            several.search(QUESTION)


@pytest.mark.slow
def test_answers_stand_on_passages_of_all(split: tuple[Knowledge, SeveralCorpora]) -> None:
    _, several = split
    answer = several.ask("Where was Marie Curie born?")
    assert "Warsaw" in answer.short
    assert {cited.corpus for cited in answer.citations} <= set(several.titles)
    assert all(cited.origin.endswith(cited.corpus) for cited in answer.citations)
    talk = several.conversation()
    talk.ask("Where was Marie Curie born?")
    assert talk.ask("And what did she discover?").question == "What did Marie Curie discover?"
    with pytest.raises(FilterError, match="several corpora"):
        several.ask("Where was Marie Curie born?", retriever="apr", remember=True)


def test_asynchronous_calls_give_the_same(split: tuple[Knowledge, SeveralCorpora]) -> None:
    _, several = split

    async def both() -> tuple[Evidence, Answer]:
        async with several:
            return await several.asearch(QUESTION, 3), await several.aask("Where was Marie Curie born?")

    found, answer = asyncio.run(both())
    assert texts(found) == texts(several.search(QUESTION, 3))
    assert "Warsaw" in answer.short


def test_no_thread_is_left(split: tuple[Knowledge, SeveralCorpora]) -> None:
    split[1].search(QUESTION, 3)
    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("overstory-several")]


def test_passages_of_other_retrievers_go_by_their_ranks(open_corpus: OpenCorpus) -> None:
    one, other = open_corpus("one"), open_corpus("other")
    for knowledge, documents in ((one, [EINSTEIN, CURIE]), (other, [ULM, DANUBE])):
        knowledge.ingest_documents(documents)
        knowledge.index(systems=["slimrag"])
    found = Knowledge.over([one, other]).search("Which river flows through Ulm?", 4, retriever="slimrag")
    assert sorted({hit.score for hit in found.hits}, reverse=True) == [hit.score for hit in found.hits][::2]
    assert found.hits[0].title == "Danube"
    assert all(reason.kind == "rank" for hit in found.hits for reason in hit.reasons)


class OtherVectors:
    """An embedder whose vectors are of another kind."""

    fingerprint = "other-vectors"
    token_limit = 100
    dimension = 3

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        return np.tile(np.array([1, 0, 0], dtype=np.float32), (len(texts), 1))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


def test_vectors_of_different_embedders_are_refused(
    split: tuple[Knowledge, SeveralCorpora], open_corpus: OpenCorpus
) -> None:
    other = loaded(open_corpus("other", embedder=OtherVectors()), [CURIE])
    with pytest.raises(EmbedderMismatch, match="cannot be searched together"):
        Knowledge.over([split[0], other]).search(QUESTION)


def test_what_cannot_be_asked_is_said(split: tuple[Knowledge, SeveralCorpora]) -> None:
    whole, _ = split
    with pytest.raises(SettingsError, match="is empty"):
        Knowledge.over([])
    with pytest.raises(SettingsError, match="twice"):
        Knowledge.over([whole, whole])
    with pytest.raises(SettingsError, match="no retriever"):
        Knowledge.over([whole]).search(QUESTION, retriever="nothing")
    missing = Knowledge("nobody has this", settings=whole.settings)
    with pytest.raises(CorpusNotFound, match="nobody has this"):
        Knowledge.over([whole, missing]).search(QUESTION)
