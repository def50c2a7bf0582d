"""Triples of a question."""

from __future__ import annotations

import numpy as np
import pytest

from overstory.graph.client import Row
from overstory.model import FactStatement
from overstory.retrieve.question import read_question
from overstory.settings import ExtractionSettings
from overstory_systems.apr.codebook import CodebookEdge, FactRun, ScoredRun, Triple
from overstory_systems.apr.retriever import (
    _MOST_ASKED_TRIPLES,
    _MOST_SEARCHED_NAMES,
    QuestionTripleReader,
    asked_triples,
    excerpts,
    stating,
)


@pytest.fixture(scope="module")
def reader() -> QuestionTripleReader:
    return QuestionTripleReader(ExtractionSettings())


def fact(subject: str, predicate: str, object_: str) -> FactStatement:
    return FactStatement(subject, predicate, object_, 0, 0, None, None)


def test_what_a_question_asks_for_is_empty_in_its_triple(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Who founded Mitsubishi Heavy Industries?"))
    assert asked.triples == (Triple("", "found", "Mitsubishi Heavy Industries", 0),)
    assert asked.names == ("Mitsubishi Heavy Industries",)


@pytest.mark.parametrize(
    ("subject", "said"),
    [("Which band", "band"), ("What kind of plane", "kind of plane"), ("Who", ""), ("it", ""), ("Whose", "")],
)
def test_words_that_ask_and_pronouns_are_taken_out(subject: str, said: str) -> None:
    assert asked_triples([fact(subject, "be", "Ulm")]) == [Triple(said, "be", "Ulm", 0)]


def test_a_triple_that_names_nothing_is_left_out() -> None:
    assert asked_triples([fact("Who", "be", "what"), fact("he", "go", "where")]) == []


def test_a_name_that_begins_with_a_word_that_asks_loses_it_alone() -> None:
    assert asked_triples([fact("Whoopi Goldberg", "play", "Whatever Lola Wants")]) == [
        Triple("Whoopi Goldberg", "play", "Whatever Lola Wants", 0)
    ]


def test_a_question_without_triples_has_names(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Why did John Middleton Murry's wife die?"))
    assert asked.triples == ()
    assert "John Middleton Murry" in asked.names


def test_a_name_is_asked_for_once_whatever_case_it_has(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question("Did Albert Einstein, who was born in Ulm, leave ULM?"))
    assert [name.casefold() for name in asked.names].count("ulm") == 1


def test_a_long_question_has_bounded_triples_and_names(reader: QuestionTripleReader) -> None:
    asked = reader.read(read_question(" ".join(f"Ada{i} Stone met Bo{i} Wood in Port{i} City." for i in range(40))))
    assert len(asked.triples) == _MOST_ASKED_TRIPLES
    assert len(asked.names) == _MOST_SEARCHED_NAMES


def test_the_note_says_how_much_of_a_question_was_read(reader: QuestionTripleReader) -> None:
    (note,) = reader.read(read_question("Where was Einstein born? " * 200)).notes
    assert "the parser read" in note


SENTENCES = ("Ada lived in Kiel. ", "She met Bo. ", "Bo left Kiel for Ulm.")
TEXT = "".join(SENTENCES)


def row(text: str = TEXT) -> Row:
    starts = [0, len(SENTENCES[0]), len(SENTENCES[0]) + len(SENTENCES[1])]
    return {"text": text, "boilerplate": None, "sentences": starts}


def edge(head: str, tail: str) -> CodebookEdge:
    return CodebookEdge(f"{head}-{tail}", f"{head}-{tail}", head, "to", tail)


def run(chunk: str, score: float, *edges: tuple[CodebookEdge, int]) -> ScoredRun:
    told = FactRun(chunk + str(score), chunk, "of " + chunk, tuple(e for e, _ in edges), tuple(s for _, s in edges))
    return ScoredRun(told, score, np.zeros((len(edges), 2), dtype=np.float32))


def test_sentences_are_quoted_once_in_the_order_of_their_passage_the_best_first() -> None:
    runs = [
        run("a", 0.9, (edge("Bo", "Ulm"), 2)),
        run("b", 0.8, (edge("Ada", "Bo"), 1)),
        run("a", 0.7, (edge("Ada", "Kiel"), 0), (edge("Bo", "Kiel"), 2)),
    ]
    found = list(excerpts(runs, {"a": row(), "b": row()}))
    assert [(each.chunk_id, each.text, each.score) for each in found] == [
        ("a", "Ada lived in Kiel.", 0.7),
        ("a", "Bo left Kiel for Ulm.", 0.9),
        ("b", "She met Bo.", 0.8),
    ]
    assert found[0].documents == ("of a",)


def test_a_fact_without_a_place_is_quoted_by_the_sentence_that_has_most_of_it() -> None:
    assert stating(edge("bo", "kiel"), SENTENCES) == 2
    assert stating(edge("Ada", "Bo"), SENTENCES) == 1
    assert stating(edge("Ada", "Rome"), SENTENCES) == 0
    assert stating(edge("Cid", "Rome"), SENTENCES) == 0


def test_a_passage_that_is_gone_is_not_quoted() -> None:
    assert list(excerpts([run("a", 0.9, (edge("Bo", "Ulm"), 2))], {})) == []


def test_a_sentence_beyond_the_end_of_a_shorter_text_is_looked_for() -> None:
    assert [
        each.text for each in excerpts([run("a", 0.9, (edge("Ada", "Kiel"), 7))], {"a": row("Ada lived in Kiel.")})
    ] == ["Ada lived in Kiel."]
