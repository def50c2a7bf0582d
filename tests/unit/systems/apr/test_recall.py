"""Which facts of its passages an answer cites."""

from __future__ import annotations

import numpy as np
import pytest

from overstory.answer import Answer, Citation
from overstory.answer.result import AnswerKind, CitedPassage
from overstory.model import Evidence
from overstory_systems.apr.recall import (
    MOST_CITED_FACTS,
    CitedFact,
    StatedFact,
    citations_of,
    cited_facts,
    read_citations,
    short_of,
    why_not,
)


def fact(head: str, relation: str, tail: str, sentence: str = "", chunk: str = "c") -> StatedFact:
    cited = CitedFact(f"{head} {relation} {tail}", chunk, head, relation, tail)
    return StatedFact(cited, sentence, (head, tail), np.zeros(2, np.float32))


def answer(question: str, text: str, kind: AnswerKind = "llm", quoted: str = "", chunk: str = "c") -> Answer:
    passage = CitedPassage(chunk, "d", "s", "k", "T")
    citation = Citation(1, chunk, "d", "s", "k", "T", quoted or text, passages=(passage,))
    return Answer(question, text, text, kind, "answered", (citation,), Evidence(question, "apr", ()))


FACTS = [
    fact("Albert Einstein", "be born in", "Ulm"),
    fact("Ulm", "be city in", "German state of Baden-Württemberg"),
    fact("Albert Einstein", "work at", "Swiss Patent Office"),
    fact("Albert Einstein", "marry", "Mileva Marić"),
]


@pytest.mark.parametrize(
    ("question", "text", "tails"),
    [
        ("Where was Einstein born?", "Ulm [1]", ["Ulm"]),
        ("Where was Einstein born?", "Albert Einstein was born in Ulm [1].", ["Ulm"]),
        ("Whom did Einstein marry?", "His wife was Mileva Marić [1].", ["Mileva Marić"]),
        ("Was Albert Einstein born in Ulm?", "Yes, in Ulm [1].", ["Ulm"]),
        ("Was Einstein born in Ulm?", "Yes [1].", ["Ulm"]),
        ("Was Einstein born in Bern?", "No [1].", []),
        ("Did Curie or Einstein marry Mileva Marić?", "Einstein [1].", ["Mileva Marić"]),
        ("Where was Einstein born?", "Paris [1]", []),
        ("Where did Curie work?", "In Paris [1].", []),
        ("Where did Einstein work?", "At the Patent Office of Switzerland [1].", ["Swiss Patent Office"]),
    ],
)
def test_a_models_answer_cites_the_facts_that_it_says(question: str, text: str, tails: list[str]) -> None:
    assert [each.fact.tail for each in cited_facts(answer(question, text), FACTS)] == tails


def test_an_extractive_answer_cites_the_facts_of_its_sentences_whatever_their_words() -> None:
    stated = [
        fact("Marie Curie", "discover", "polonium", "She discovered polonium."),
        fact("Marie Curie", "be born in", "Warsaw", "Marie Curie was born in Warsaw."),
        fact("Marie Curie", "discover", "polonium", "She discovered polonium.", chunk="another"),
    ]
    found = cited_facts(
        answer("Who?", "She discovered polonium. [1]", "extractive", "She discovered\npolonium."), stated[1:]
    )
    assert found == []
    found = cited_facts(
        answer("Who?", "She discovered polonium. [1]", "extractive", "She discovered polonium."), stated
    )
    assert found == stated[:1]


def test_a_fact_without_a_sentence_is_cited_if_an_extractive_answer_says_it() -> None:
    quoted = "Albert Einstein was born in Ulm."
    found = cited_facts(answer("Where was Einstein born?", f"{quoted} [1]", "extractive", quoted), FACTS)
    assert [each.fact.tail for each in found] == ["Ulm"]


def test_a_fact_counts_once_and_an_answer_has_so_many_at_most() -> None:
    stated = [fact(f"Town{n}", "be in", "Bavaria") for n in range(2 * MOST_CITED_FACTS)]
    names = " ".join(each.fact.head for each in stated)
    assert len(cited_facts(answer("Which towns are in Bavaria?", names), [stated[0], *stated])) == MOST_CITED_FACTS


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("The passages do not mention when he died [1].", True),
        ("I cannot determine this [1].", True),
        ("I'm sorry, but that is unclear [1].", True),
        ("There is no information on it [1].", True),
        ("He was born in Ulm [1].", False),
        ("No, he was born in Ulm [1].", False),
        ("He did not marry again [1].", False),
    ],
)
def test_an_answer_that_says_that_nothing_is_known_is_not_remembered(text: str, refused: bool) -> None:
    assert bool(why_not(answer("When?", text))) == refused


def test_the_guess_of_an_extractive_answer_is_not_what_is_remembered() -> None:
    guessed = answer("Where?", "He was born in Ulm. [1]\nUlm is a city. [1]", "extractive")
    assert short_of(guessed) == "He was born in Ulm. Ulm is a city."


def test_citations_are_read_as_they_were_written() -> None:
    facts = [each.fact for each in FACTS]
    assert list(read_citations(citations_of(facts))) == facts
