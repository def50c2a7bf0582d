"""Names and links as canopy asks them: from the graph and from a copy in memory come the same answers, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.contract.test_retrievers import ODD_QUESTIONS
from tests.integration.index.test_boilerplate import BEFORE, LAST
from tests.integration.index.test_vocabulary import HEADER, LATER, SMASH
from tests.passages import CURIE, EINSTEIN, PASSAGES, SOURCE, ULM, OpenCorpus, passage

from overstory.graph import read_corpus
from overstory.knowledge import Knowledge
from overstory.model import Evidence, Link
from overstory.retrieve import RetrievalContext
from overstory.retrieve.canopy import CanopyRetriever
from overstory.retrieve.canopy.held_names import WHAT, NamesLoader
from overstory.retrieve.graph_copies import _QUESTIONS_BEFORE_A_COPY, GraphCopies

QUESTIONS = (
    "Where was Albert Einstein born?",
    "Which river flows through the town where Albert Einstein was born?",
    "Who worked with Pierre Curie and discovered polonium?",
    "What is Ulm?",
    "What is a river?",
    "polonium",
    "A. Einstein and Mileva Maric",
    "How do I ignore an exception?",
    "Swiss Patent Office",
    "Who was the Mother of Polonium?",
)
ROOMY = 100_000_000

NAMESAKES = [
    passage("one", "Ulm, Ohio", "Ulm is a town in Ohio. Marie Curie never was there."),
    passage("two", "A. Einstein", "A. Einstein is what friends of Albert Einstein wrote on envelopes."),
    passage("three", "Glossary", "A physicist: somebody who works like Marie Curie. Polonium: an element."),
    passage("four", "Mariè Curie", "Mariè Curie is a misspelling that Ulm's library has in its catalogue."),
]


class Both:
    """The two ways to ask one corpus."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self.copies = GraphCopies(ROOMY)
        self.held = self._retriever(self.copies)
        self.stored = self._retriever(GraphCopies(0))

    def _retriever(self, copies: GraphCopies) -> CanopyRetriever:
        knowledge = self.knowledge
        return CanopyRetriever(
            RetrievalContext(knowledge.graph, knowledge.corpus_name, knowledge.embedder, copies=copies)
        )

    def hold(self) -> None:
        """Has the copy made or brought up to date."""
        for _ in range(_QUESTIONS_BEFORE_A_COPY):
            self.held.retrieve(QUESTIONS[0], 3)
        self.copies.wait()

    def is_held(self) -> bool:
        held = self.copies.of(WHAT, NamesLoader).latest()
        corpus = read_corpus(self.knowledge.graph, self.knowledge.corpus_name)
        return held is not None and held.is_of(corpus)

    def ask(self, question: str, k: int = 5) -> tuple[Evidence, Evidence]:
        return self.held.retrieve(question, k), self.stored.retrieve(question, k)


@pytest.fixture(scope="module")
def both(shared_corpus: Knowledge) -> Both:
    made = Both(shared_corpus)
    made.hold()
    return made


@pytest.mark.parametrize("k", [1, 5, 100])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_copy_gives_the_same_evidence(both: Both, question: str, k: int) -> None:
    assert both.is_held()
    held, stored = both.ask(question, k)
    assert held == stored
    assert held.hits


@pytest.mark.parametrize("question", ODD_QUESTIONS.values(), ids=ODD_QUESTIONS.keys())
def test_an_odd_question_gets_the_same_evidence_of_a_copy(both: Both, question: str) -> None:
    held, stored = both.ask(question)
    assert held == stored


def links(knowledge: Knowledge) -> None:
    knowledge.ingest_documents(
        [Link(SOURCE, "einstein", "ulm", type="BORN_IN"), Link(SOURCE, "curie", "two", type="KNEW")]
    )


CHANGES: dict[str, Callable[[Knowledge], object]] = {
    "documents added": lambda knowledge: knowledge.ingest_documents(NAMESAKES),
    "documents added and indexed": lambda knowledge: (knowledge.ingest_documents(NAMESAKES), knowledge.index()),
    "a document changed": lambda knowledge: (
        knowledge.ingest_documents([passage("ulm", "Ulm", "Marie Curie was never in Ulm, Warsaw or Bern.")]),
        knowledge.index(),
    ),
    "a title changed": lambda knowledge: (
        knowledge.ingest_documents([passage("ulm", "Ulm on the Danube", ULM.text)]),
        knowledge.index(),
    ),
    "a document deleted": lambda knowledge: knowledge.delete_documents(knowledge.document_id(SOURCE, "einstein")),
    "all documents deleted but one": lambda knowledge: knowledge.delete_documents(
        [knowledge.document_id(SOURCE, each.source_key) for each in (EINSTEIN, ULM, CURIE)]
    ),
    "a name hidden": lambda knowledge: (knowledge.hide_names("Ulm"), knowledge.index()),
    "a name hidden, not indexed": lambda knowledge: knowledge.hide_names("Ulm"),
    "names merged": lambda knowledge: (knowledge.merge_names("Pierre Curie", "Marie Curie"), knowledge.index()),
    "a name renamed, not indexed": lambda knowledge: knowledge.rename_name("Albert Einstein", "The Physicist"),
    "links added": links,
}


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_corpus_gives_the_same_evidence(
    open_corpus: OpenCorpus, change: Callable[[Knowledge], object]
) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents(PASSAGES)
    knowledge.index()
    both = Both(knowledge)
    both.hold()
    change(knowledge)
    assert not both.is_held()
    for question in QUESTIONS:
        held, stored = both.ask(question)  # asks the graph, while the copy is brought up to date
        assert held == stored
    both.hold()
    assert both.is_held()
    for question in QUESTIONS:
        held, stored = both.ask(question)
        assert held == stored


def asked_both_ways(both: Both, questions: Sequence[str]) -> None:
    both.hold()
    assert both.is_held()
    for question in questions:
        for k in (1, 5, 100):
            held, stored = both.ask(question, k)
            assert held == stored, question
            assert held.hits


@pytest.mark.slow
def test_a_corpus_with_boilerplate_gives_the_same_evidence(open_corpus: OpenCorpus) -> None:
    knowledge = open_corpus()
    knowledge.ingest_documents([*BEFORE, LAST])
    knowledge.index()
    assert knowledge.status().boilerplate == {"only": 1, "some": 4}
    questions = (
        "Who wrote the handbook?",
        "Homer Simpson",
        "What did Homer Simpson say of Knoppix?",
        "Who made Ubuntu in London?",
        "Which system is maintained by Offensive Security, like that of Michael Prokop in Austria?",
    )
    both = Both(knowledge)
    asked_both_ways(both, questions)
    knowledge.delete_documents(source=LAST.source)
    knowledge.index()
    assert knowledge.status().boilerplate == {"only": 0, "some": 0}  # the names of the frame are names again
    asked_both_ways(both, questions)


@pytest.mark.slow
def test_a_corpus_with_a_vocabulary_gives_the_same_evidence(open_corpus: OpenCorpus, tmp_path: Path) -> None:
    knowledge = open_corpus()
    terms = tmp_path / "terms.csv"
    terms.write_text(f"{HEADER}Zorbling,TERM,Frobnication\nUlm,PRODUCT,\nQuux Day,,\nNowhere Said,,Never Said\n")
    knowledge.ingest_documents([*PASSAGES, SMASH, LATER])
    knowledge.load_vocabulary(terms)
    knowledge.index()
    questions = (
        *QUESTIONS[:4],
        "What is Frobnication?",
        "Where was Zorbling used, and what of Quux Day?",
        "Nowhere Said in Ulm",
        "Was Frobnication new to Albert Einstein?",
    )
    both = Both(knowledge)
    asked_both_ways(both, questions)
    terms.write_text(f"{HEADER}Quux Day,,Zorbling\n")
    knowledge.load_vocabulary(terms)
    for question in questions:  # not indexed yet: edits hold at once
        held, stored = both.ask(question)
        assert held == stored
    asked_both_ways(both, questions)
    knowledge.index()
    asked_both_ways(both, questions)
