"""Names that are found by the words in them, and names in the order of their kinds."""

from __future__ import annotations

import pytest
from tests.passages import OpenCorpus

from overstory.knowledge import Knowledge
from overstory.model import Document

DOCUMENTS = [
    Document(
        "a", "1", "Ezer Weizman was elected in 1993. Ezer Weizman resigned in July 2000.", "Ezer Weizman", {"of": 1}
    ),
    Document(
        "a", "2", "Chaim Weizmann was born in Motal. Chaim Weizmann lived in London.", "Chaim Weizmann", {"of": 2}
    ),
    Document("a", "3", "Jürgen Müller lives in Łódź. Jürgen Müller met Ezer Weizman.", "Jürgen Müller", {"of": 1}),
    Document(
        "a", "4", "The University of Leith was founded in 1993. Ada Quill leads the University of Leith.", "", {"of": 2}
    ),
]


@pytest.fixture(scope="module")
def statesmen(open_module_corpus: OpenCorpus) -> Knowledge:
    knowledge = open_module_corpus()
    knowledge.ingest_documents(DOCUMENTS)
    knowledge.index()
    return knowledge


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("weizman", ["Ezer Weizman", "Chaim Weizmann"]),
        ("weiz", ["Ezer Weizman", "Chaim Weizmann"]),
        ("Weizman, Ez", ["Ezer Weizman"]),
        ("muller", ["Jürgen Müller"]),
        ("of Leith", ["University of Leith"]),
        ("eizman", []),
        ("?!", []),
        ("weizman AND (", []),
    ],
)
def test_a_word_of_a_name_finds_it_wherever_it_stands(statesmen: Knowledge, words: str, expected: list[str]) -> None:
    assert [each.name for each in statesmen.entities(words=words) if " " in each.name] == expected


def test_a_filter_holds_for_names_with_words(statesmen: Knowledge) -> None:
    assert [each.name for each in statesmen.entities(words="weizman", where="of = 2")] == ["Chaim Weizmann"]


@pytest.mark.parametrize("where", [None, "of exists"])
def test_names_that_a_reader_looks_for_come_before_numbers(statesmen: Knowledge, where: str | None) -> None:
    listed = [each.key for each in statesmen.entities(where=where)]
    people = [listed.index(each) for each in ("ezer weizman", "chaim weizmann", "jurgen muller")]
    numbers = [at for at, key in enumerate(listed) if key[0].isdigit()]
    assert all(max(people) < number for number in numbers)
