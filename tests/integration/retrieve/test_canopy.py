"""Canopy on a real graph: names lead from passage to passage."""

from __future__ import annotations

import numpy as np
import pytest
from tests.passages import OpenCorpus, passage

from overstory.errors import EntityNotFound
from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.progress import Step, progress_to
from overstory.protocols import Vectors
from overstory.retrieve.canopy import stored_names
from overstory.retrieve.vector_search import VectorCache

WINE = passage("wine", "Ostwind", "Ostwind is a film. It was directed by Karla Ehrenreich.")
WOMAN = passage("woman", "Karla Ehrenreich", "Karla Ehrenreich was born in Bad Wimpfen.")
TOWN = passage("town", "Bad Wimpfen", "Bad Wimpfen is a town on the Neckar.")
DRACULA = [
    passage("stoker", "", "Bram Stoker was an Irish author, born in Dublin. He wrote the novel Dracula."),
    passage("nosferatu", "", "Nosferatu is a silent film of 1922, based on the novel Dracula."),
]
OTHERS = [passage(f"o{i}", f"Film {i}", f"Film {i} is a film. Its director came from town {i}.") for i in range(8)]


@pytest.fixture(scope="module")
def corpus(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents([WINE, WOMAN, TOWN, *DRACULA, *OTHERS])
    knowledge.index()
    return knowledge


def test_a_passage_that_shares_no_word_with_the_question_is_reached_by_a_name(corpus: Knowledge) -> None:
    evidence = corpus.search("Where was the director of Ostwind born?", 2, retriever="canopy")
    assert [hit.source_key for hit in evidence.hits] == ["wine", "woman"]
    for hit in evidence.hits:
        assert sum(reason.score for reason in hit.reasons) == pytest.approx(hit.score)
    (path,) = evidence.paths_to(evidence.hits[1])
    assert str(path) == "Ostwind → Karla Ehrenreich"
    assert (path.steps[0].source_sentence, path.steps[0].kind) == ("It was directed by Karla Ehrenreich.", "about")
    assert path.chunks == tuple(hit.chunk_id for hit in evidence.hits)
    assert evidence.hits[1].in_words == (
        'It is about Karla Ehrenreich, mentioned in "Ostwind"; contains words of the question: born.'
    )
    assert [evidence.hits[1].text[start:end] for start, end in evidence.hits[1].matches] == ["born"]
    parts = {reason.kind: reason.score for reason in evidence.hits[1].reasons}
    assert path.score == pytest.approx(parts["forward"] + parts["shared"])


def test_the_parts_of_a_score_name_what_they_come_from(corpus: Knowledge) -> None:
    first = corpus.search("Where was the director of Ostwind born?").hits[0]
    assert [reason.kind for reason in first.reasons[:4]] == ["dense", "words", "name", "rest"]
    assert first.reasons[2].detail == "Ostwind"
    assert first.in_words == "It is about Ostwind, named in the question."


def test_of_two_passages_that_lead_to_each_other_the_better_one_explains_the_other(corpus: Knowledge) -> None:
    hits = corpus.search("Where was the author of the novel behind Nosferatu born?", 2).hits
    first, second = (hit.in_words for hit in hits)
    assert first == "It is about Nosferatu, named in the question; contains words of the question: novel."
    assert second.startswith('It mentions Dracula, as does "Nosferatu is a silent film of 1922, based on')
    assert second.endswith("; contains words of the question: author, novel, born.")


def test_an_index_older_than_its_documents_is_told(corpus: Knowledge) -> None:
    assert not corpus.search("Karla Ehrenreich").notes
    corpus.ingest_documents(passage("new", "Aare", "The Aare flows through Bern."))
    evidence = corpus.search("Karla Ehrenreich", 2)
    assert any("overstory index" in note for note in evidence.notes)
    assert evidence.hits[0].source_key == "woman"
    corpus.index()
    assert not corpus.search("Karla Ehrenreich").notes


def test_vectors_are_kept_until_the_corpus_changes(corpus: Knowledge) -> None:
    def read(cache: VectorCache, ids: list[str]) -> Vectors:
        stored = read_corpus(corpus.graph, corpus.corpus_name)
        return corpus.graph.reading("retrieve/vectors", lambda tx: cache.of(tx, stored, ids))

    ids = [hit.chunk_id for hit in corpus.search("film", 9).hits]
    small, large = VectorCache(most_bytes=3 * 384 * 4), VectorCache()
    expected = read(large, ids)
    assert np.allclose(np.linalg.norm(expected, axis=1), 1.0, atol=1e-3)
    for _ in range(2):
        assert np.array_equal(read(small, ids), expected)
    assert np.array_equal(read(large, [*reversed(ids)]), expected[::-1])
    assert not read(large, ["of no chunk"]).any()
    assert read(large, []).shape == (0, 384)


def test_nonsense_is_told_from_what_was_asked(corpus: Knowledge) -> None:
    assert any("nearest by meaning" in note for note in corpus.search("asdkjh qwoeiu zmxn").notes)
    assert not corpus.search("Who directed Ostwind?").notes


@pytest.mark.parametrize("stage", ["entities", "mentions"])
def test_an_index_that_was_stopped_before_it_has_names_is_searched_without(open_corpus: OpenCorpus, stage: str) -> None:
    def stop(step: Step) -> None:
        if step.task == stage:
            raise InterruptedError

    knowledge = open_corpus()
    knowledge.progress = progress_to(stop)
    knowledge.ingest_documents([WINE, WOMAN])
    with pytest.raises(InterruptedError):
        knowledge.index()
    evidence = knowledge.search("Was Karla Ehrenreich born in Bad Wimpfen?")
    assert evidence.hits[0].source_key == "woman"
    assert any("overstory index" in note for note in evidence.notes)
    with pytest.raises(EntityNotFound):
        knowledge.paths("Karla", "Bad Wimpfen")


def test_of_a_name_that_more_passages_are_about_than_are_compared_a_note_gives_the_number(
    corpus: Knowledge, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "Who directed Ostwind?"
    assert not corpus.search(question).notes
    monkeypatch.setattr(stored_names, "_MOST_CHUNKS_COMPARED", 0)
    assert "1 passages are about 'Ostwind', too many to read all of them" in corpus.search(question).notes


@pytest.mark.slow
def test_of_hundreds_of_passages_that_names_lead_to_the_one_that_is_asked_for_is_found(
    open_corpus: OpenCorpus,
) -> None:
    names = ["Zorban", "Quilmet", "Ferrasto"]
    knowledge = open_corpus()
    knowledge.ingest_documents(
        [
            passage("start", "Karla Ehrenreich", f"Karla Ehrenreich travelled with {', '.join(names)}."),
            *(passage(f"{name} {n}", name, f"{name} is hill {n} of {n + 1}.") for name in names for n in range(50)),
            passage("sought", "Ferrasto", "Ferrasto opened a museum of glass."),
        ]
    )
    knowledge.index()
    evidence = knowledge.search("What did the one who travelled with Karla Ehrenreich open, a museum of glass?", 3)
    assert {"start", "sought"} <= {hit.source_key for hit in evidence.hits}
    (sought,) = (hit for hit in evidence.hits if hit.source_key == "sought")
    assert [str(path) for path in evidence.paths_to(sought)] == ["Karla Ehrenreich → Ferrasto"]
