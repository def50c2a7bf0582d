"""Passages are found by the words of the sections that they are in."""

from __future__ import annotations

import pytest
from tests.fakes import HashingEmbedder, ScriptedExtractor
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import Document, Heading
from overstory.retrieve.hits import SECTION_HAS_WORDS

RING = "Each pigeon that belongs to the loft carries a ring of aluminium with a number of its own and the year."
HUNGRY = "It comes back of itself when it gets hungry in the evening, so nobody has to run after it with a net. " * 2
SHOUT = (
    "Whoever wants it to come sooner may shake a tin of maize beside the open door, for it will know the sound. " * 2
)
BREAD = "Flour, water and salt are kneaded for ten minutes and then left alone under a cloth until the next day. " * 2
OVEN = "The oven must be as hot as it can be made, with a bowl of water below, so that the crust stays thin. " * 2
FRAME = "This handbook was printed by Homer Simpson on the aluminium press of the village of Springfield, in blue ink."

QUESTION = "Which aluminium ring does a pigeon carry?"
BY_WORDS = ("lexical", "hybrid")


def page(name: str, *sections: tuple[str, list[str]]) -> Document:
    """A page of headings with paragraphs below each."""
    text, headings = "", list[Heading]()
    for heading, paragraphs in sections:
        headings.append(Heading(len(text), 1, heading))
        text += "\n\n".join([heading, *paragraphs]) + "\n\n"
    return Document(f"/handbook/{name}.html", "", text.strip(), name.capitalize(), headings=tuple(headings))


PIGEONS = page("loft", ("In the loft", [RING, HUNGRY, SHOUT]), ("In the kitchen", [BREAD, OVEN]))
PAGES = [
    PIGEONS,
    page("rye", ("Rye", [BREAD.replace("Flour", "Rye"), OVEN])),
    page("oats", ("Oats", [BREAD.replace("Flour", "Oats"), OVEN])),
    page("spelt", ("Spelt", [BREAD.replace("Flour", "Spelt"), OVEN])),
]


@pytest.fixture(scope="module")
def handbook(open_module_corpus: OpenCorpus) -> Knowledge:
    """Two sections on one page, and others that share no word with the questions."""
    knowledge = open_module_corpus(embedder=HashingEmbedder(256), extractor=ScriptedExtractor({}))
    knowledge.ingest_documents(PAGES)
    knowledge.index()
    (loft,) = [each for each in knowledge.documents() if each.title == "Loft"]
    assert loft.chunks == 5  # one a paragraph
    return knowledge


def test_lexical_gives_the_best_passage_of_a_section_its_score_and_the_others_less(handbook: Knowledge) -> None:
    hits = handbook.search(QUESTION, 10, retriever="lexical").hits
    assert [hit.heading for hit in hits] == ["In the loft"] * 3
    assert "ring of aluminium" in hits[0].text
    assert hits[0].score > 2 * hits[1].score > 0
    assert [hit.score for hit in hits[1:]] == [hits[1].score] * 2  # neither has a word of the question
    for hit in hits:
        (reason,) = hit.reasons
        assert (reason.kind, reason.score) == ("lexical", hit.score)
        assert reason.detail == "BM25 of the section"
    assert hits[0].why == "It contains words of the question: aluminium, ring, pigeon, carry."
    assert hits[1].why == hits[2].why == f"It {SECTION_HAS_WORDS}."


def test_lexical_finds_by_titles_and_headings(handbook: Knowledge) -> None:
    for question in ("the kitchen", "loft kitchen"):
        assert handbook.search(question, 2, retriever="lexical").hits[0].heading == "In the kitchen"
    assert handbook.search("spelt", 1, retriever="lexical").hits[0].title == "Spelt"


def test_of_questions_only_what_tells_them_from_others_is_looked_for(handbook: Knowledge) -> None:
    nothing = handbook.search("How do I become an astronaut of my own?", 10, retriever="lexical")
    assert nothing.hits == ()
    assert "no passage shares a word with the question" in nothing.notes
    asked, telling = (
        handbook.search(each, 10, retriever="lexical").hits for each in (QUESTION, "aluminium ring pigeon carry")
    )
    assert [(hit.chunk_id, hit.score) for hit in asked] == [(hit.chunk_id, hit.score) for hit in telling]


def test_scores_of_hybrid_are_the_sum_of_their_reasons(handbook: Knowledge) -> None:
    for question in (QUESTION, "How is bread kneaded?", "Who are you?", "maize"):
        hits = handbook.search(question, 10, retriever="hybrid").hits
        assert len(hits) > 3
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        for hit in hits:
            assert hit.score == pytest.approx(sum(reason.score for reason in hit.reasons))
            assert [reason.kind for reason in hit.reasons] in (["dense"], ["dense", "lexical"])
            assert hit.reasons[0].detail == f"cosine {hit.reasons[0].score:.3f} of passage and section"


def test_hybrid_gives_the_best_section_the_most_for_words(handbook: Knowledge) -> None:
    hits = handbook.search(QUESTION, 10, retriever="hybrid").hits
    by_words = {hit.heading: hit.reasons[1].score for hit in hits if len(hit.reasons) == 2}
    assert by_words == {"In the loft": pytest.approx(0.3)}


def test_a_passage_is_found_by_words_that_only_its_section_has(handbook: Knowledge) -> None:
    hits = handbook.search(QUESTION, 3, retriever="hybrid").hits
    assert [hit.heading for hit in hits] == ["In the loft"] * 3
    assert "ring of aluminium" in hits[0].text
    for hit in hits[1:]:
        assert not {"aluminium", "ring", "pigeon", "carry", "carries"} & set(hit.text.lower().split())
        assert SECTION_HAS_WORDS in hit.why
        assert SECTION_HAS_WORDS in hit.reasons[1].detail
        assert "BM25 of its section" in hit.reasons[1].detail


def test_a_passage_of_boilerplate_alone_is_not_found_for_the_words_of_its_section(open_corpus: OpenCorpus) -> None:
    """The other passages of its section are found."""
    knowledge = open_corpus(embedder=HashingEmbedder(256))
    texts = {"a": RING * 2, "b": HUNGRY, "c": BREAD, "d": OVEN, "e": SHOUT}
    framed = [page(name, ("Text", [text + name * 9, FRAME])) for name, text in texts.items()]
    knowledge.ingest_documents(framed)
    knowledge.index()
    assert knowledge.status().boilerplate["only"] == 5
    for retriever in (*BY_WORDS, "canopy", "dense"):
        for question in ("Which aluminium press printed the handbook of Homer Simpson?", QUESTION):
            hits = knowledge.search(question, 20, retriever=retriever).hits
            assert not [hit for hit in hits if "Homer" in hit.text], retriever
            assert retriever == "lexical" or len(hits) == 5
    assert knowledge.search(QUESTION, 1, retriever="lexical").hits[0].title == "A"
