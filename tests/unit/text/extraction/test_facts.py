"""Sentences and the facts that they state, by the default pipeline."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overstory.text.extraction.findings import FINDINGS, Parsed
from overstory.text.parsing.pipelines import find_pipeline
from overstory.text.parsing.spacy_parser import SpacyParser

PARSER = SpacyParser(find_pipeline("en_core_web_sm"), FINDINGS)

Triple = tuple[str, str, str]


def read(text: str) -> Parsed:
    return PARSER.parse([text])[0]


def triples(text: str) -> list[Triple]:
    return [(fact.subject, fact.predicate, fact.object) for fact in read(text).facts]


EXPECTED: list[tuple[str, list[Triple]]] = [
    # active and passive
    (
        "Marie Curie discovered polonium and radium.",
        [("Marie Curie", "discover", "polonium"), ("Marie Curie", "discover", "radium")],
    ),
    (
        "Tom and Jerry moved to Berlin and founded a company.",
        [
            ("Tom", "move to", "Berlin"),
            ("Jerry", "move to", "Berlin"),
            ("Tom", "found", "company"),
            ("Jerry", "found", "company"),
        ],
    ),
    (
        "The film was directed by Ridley Scott in 1979.",
        [("film", "be directed by", "Ridley Scott"), ("film", "be directed in", "1979")],
    ),
    (
        "Obama did not sign the bill.",
        [("Obama", "not sign", "bill")],
    ),
    (
        "She gave the museum a painting.",
        [("She", "give to", "museum"), ("She", "give", "painting")],
    ),
    (
        "He set up a company in 1990.",
        [("He", "set up", "company"), ("He", "set up company in", "1990")],
    ),
    (
        "She directed the sequel to Alien.",
        [("She", "direct", "sequel to Alien"), ("She", "direct sequel to", "Alien")],
    ),
    # what something is
    (
        "Paris is the capital of France.",
        [("Paris", "be capital of", "France")],
    ),
    (
        "Paris, the capital of France, lies on the Seine.",
        [("Paris", "be capital of", "France"), ("Paris", "lie on", "Seine")],
    ),
    (
        "Lambert was the second son of Adalbert II of Tuscany and Bertha, daughter of Lothair II.",
        [
            ("Lambert", "be", "second son"),
            ("Lambert", "be son of", "Adalbert II of Tuscany"),
            ("Lambert", "be son of", "Bertha"),
            ("Bertha", "be daughter of", "Lothair II"),
        ],
    ),
    (
        "Thomas Johnson was a politician and the first Governor of Maryland.",
        [
            ("Thomas Johnson", "be", "politician"),
            ("Thomas Johnson", "be", "first Governor"),
            ("Thomas Johnson", "be governor of", "Maryland"),
        ],
    ),
    (
        "He is famous for his novels.",
        [("He", "be famous for", "his novels")],
    ),
    (
        "There are two rivers in Paris.",
        [("two rivers", "be in", "Paris")],
    ),
    (
        "He was named king of Spain in 1975.",
        [("He", "be named", "king of Spain"), ("He", "be named king of", "Spain"), ("He", "be named in", "1975")],
    ),
    # clauses that borrow their subject
    (
        "Albert Einstein, a physicist born in Ulm, was not awarded the prize by Mr. Smith.",
        [
            ("Albert Einstein", "be", "physicist"),
            ("Albert Einstein", "be born in", "Ulm"),
            ("Albert Einstein", "not be awarded", "prize"),
            ("Albert Einstein", "not be awarded prize by", "Mr. Smith"),
        ],
    ),
    (
        "Born in Ulm, Einstein studied physics.",
        [("Einstein", "be born in", "Ulm"), ("Einstein", "study", "physics")],
    ),
    (
        "Einstein, who was born in Ulm, moved to Zurich.",
        [("Einstein", "be born in", "Ulm"), ("Einstein", "move to", "Zurich")],
    ),
    (
        "Einstein was a physicist who lived in Bern.",
        [("Einstein", "be", "physicist"), ("Einstein", "live in", "Bern")],
    ),
    (
        "The film, which was directed by Ridley Scott, won three Oscars.",
        [("film", "be directed by", "Ridley Scott"), ("film", "win", "three Oscars")],
    ),
    (
        "The book that she wrote was published in Paris by Penguin.",
        [("she", "write", "book"), ("book", "be published in", "Paris"), ("book", "be published by", "Penguin")],
    ),
    (
        "She lives in the house he built.",
        [("She", "live in", "house"), ("he", "build", "house")],
    ),
    (
        "The city where he died is Rome.",
        [("he", "die in", "city"), ("city", "be", "Rome")],
    ),
    (
        "Mozart, whose father was Leopold, was born in Salzburg.",
        [("Mozart's father", "be", "Leopold"), ("Mozart", "be born in", "Salzburg")],
    ),
    (
        "He wanted to marry Anna.",
        [("He", "want to marry", "Anna")],
    ),
    (
        "She was able to buy the house.",
        [("She", "be able to buy", "house")],
    ),
    # what is said once for two
    (
        "Christopher Nolan wrote and directed the film Inception in 2010.",
        [
            ("Christopher Nolan", "write", "film"),
            ("Christopher Nolan", "direct", "Inception"),
            ("Christopher Nolan", "direct film in", "2010"),
            ("film", "be", "Inception"),
        ],
    ),
    (
        "Lianna is a 1983 drama film written and directed by John Sayles and starring Linda Griffiths.",
        [
            ("Lianna", "be", "1983 drama film"),
            ("Lianna", "be written by", "John Sayles"),
            ("Lianna", "be directed by", "John Sayles"),
            ("Lianna", "star", "Linda Griffiths"),
        ],
    ),
    (
        "Lionel Messi plays for Barcelona and Argentina.",
        [("Lionel Messi", "play for", "Barcelona"), ("Lionel Messi", "play for", "Argentina")],
    ),
    # below a heading in Markdown
    (
        "# Harbour Press\n\nHarbour Press is a publishing company in Leith.",
        [("Harbour Press", "be", "publishing company"), ("Harbour Press", "be company in", "Leith")],
    ),
    (
        "## Ada Moran\n\nAda Moran was a printer from Orkney.",
        [("Ada Moran", "be printer from", "Orkney")],
    ),
    # appositions, and lists that parsers take for them
    (
        "The firm was bought by his wife Anna Meyer.",
        [("firm", "be bought by", "Anna Meyer"), ("his wife", "be", "Anna Meyer")],
    ),
    (
        "She plays in the National Football League (NFL).",
        [("She", "play in", "National Football League"), ("National Football League", "be", "NFL")],
    ),
    (
        "He plays Phoebe Halliwell (Alyssa Milano).",
        [("He", "play", "Phoebe Halliwell"), ("Phoebe Halliwell", "be", "Alyssa Milano")],
    ),
    (
        "He lives in Los Angeles, California.",
        [("He", "live in", "Los Angeles")],
    ),
    ("See ssh, sshd, scp and sftp.", []),
    ("SEE ALSO sshd(8), scp(1), sftp(1), ssh-agent(1)", []),
    # nothing
    ("| Flag | Meaning |\n|---|---|\n| -a | all files |", []),
    ("Hello!", []),
    ("", []),
]


@pytest.mark.parametrize(("sentence", "expected"), EXPECTED, ids=[sentence[:40] for sentence, _ in EXPECTED])
def test_a_sentence_states(sentence: str, expected: list[Triple]) -> None:
    assert triples(sentence) == expected


def test_facts_come_in_text_order_with_their_sentences() -> None:
    facts = read("Anna lives in Rome. It rains. Ben was born in Ulm and died in Bern.").facts
    assert [(f.position, f.sentence, f.object) for f in facts] == [(0, 0, "Rome"), (1, 2, "Ulm"), (2, 2, "Bern")]


def test_subject_and_object_point_at_the_mentions_that_head_them() -> None:
    parsed = read("The painter Anna Meyer was born in the city of Rome.")
    [fact] = [fact for fact in parsed.facts if fact.predicate == "be born in city of"]
    assert fact.subject_mention is not None
    assert fact.object_mention is not None
    assert parsed.mentions[fact.subject_mention].surface == "Anna Meyer"
    assert parsed.mentions[fact.object_mention].surface == "Rome"


def test_the_same_fact_in_two_sentences_is_stated_twice() -> None:
    assert [f.sentence for f in read("Anna lives in Rome. Anna lives in Rome.").facts] == [0, 1]


@pytest.mark.parametrize(
    ("sentence", "times"),
    [
        (
            "Ruth Amsel was head of the museum from 2019 until March 2022.",
            {("be head of", "museum"): ("2019", "2022-03", False)},
        ),
        (
            "Ann joined the choir in 2019 and left the band in May 2022.",
            {("join", "choir"): ("2019", "", False), ("leave", "band"): ("", "2022-05", False)},
        ),
        (
            "Tom Kern, director of the museum from 2007 to 2011, wrote the book.",
            {("be director of", "museum"): ("2007", "2011", False), ("write", "book"): ("", "", False)},
        ),
        ("The ferry no longer carries cars since 2020.", {("carry", "cars"): ("", "2020", True)}),
        ("Clara Voss is the former director of the museum.", {("be director of", "museum"): ("", "", True)}),
        ("Clara Voss, the former director, opened the hall.", {("open", "hall"): ("", "", False)}),
        ("The 2012 report names the director.", {("name", "director"): ("", "", False)}),
        ("The head since 2019, a tall man who wrote books.", {("write", "books"): ("", "", False)}),  # no verb above
    ],
)
def test_a_fact_has_the_time_of_its_own_clause(
    sentence: str, times: dict[tuple[str, str], tuple[str, str, bool]]
) -> None:
    found = {(f.predicate, f.object): (f.holds_from, f.holds_to, f.ended) for f in read(sentence).facts}
    assert {key: found[key] for key in times} == times


@pytest.mark.parametrize(
    "nonsense",
    [
        "a man who was " * 1_500,
        "He wants to " + "want to " * 1_000 + "go.",
        ", ".join(f"Anna{i}" for i in range(300)) + " met " + ", ".join(f"Ben{i}" for i in range(300)),
        "the son of " * 1_000,
    ],
)
def test_nonsense_ends(nonsense: str) -> None:
    assert len(read(nonsense).facts) < 10_000


SOME = (
    "the a Anna Rome film who which whose where born was is not and or of in by to directed wrote , . ; ( ) \" ' "
    "want there famous 1979 he him two that has been city, -- 's \n"
)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.sampled_from(SOME.split(" ")), max_size=40).map(" ".join))
def test_whatever_is_said_facts_have_three_parts_and_point_inside(text: str) -> None:
    parsed = read(text)
    assert [fact.position for fact in parsed.facts] == list(range(len(parsed.facts)))
    for fact in parsed.facts:
        assert fact.subject
        assert fact.predicate
        assert fact.object
        assert fact.sentence < len(parsed.sentences)
        assert all(m is None or m < len(parsed.mentions) for m in (fact.subject_mention, fact.object_mention))
