from __future__ import annotations

import pytest

from overstory.text.questions.asked_words import _MOST_MARKED_SPANS, AskedWords
from overstory.text.words import MOST_QUERY_WORDS


def marked(question: str, text: str) -> list[str]:
    return [text[start:end] for start, end in AskedWords.of(question).spans(text)]


@pytest.mark.parametrize(
    ("question", "text", "words"),
    [
        ("Who wrote the Debian handbook?", "Debian's handbooks, written; who?", ["Debian's", "handbooks"]),
        ("naïve café", "A NAÏVE Café.", ["NAÏVE", "Café"]),
        ("İstanbul", "İstanbul'da", []),
        ("in İstanbul", "İstanbul", ["İstanbul"]),
        ("what is it?", "It is what it is.", ["It", "is", "what", "it", "is"]),  # common words alone
        ("max_size of a deque", "`max_size`, maximum size", ["max_size"]),
        ("数据库", "数据", ["数", "据"]),
        ("हिन्दी कविता", "वह हिन्दी कविता है", ["हिन्दी", "कविता"]),
        ("?!", "Anything?", []),
        ("Ulm", "", []),
    ],
)
def test_words_are_found_by_their_stems_without_common_ones(question: str, text: str, words: list[str]) -> None:
    assert marked(question, text) == words


def test_words_are_named_as_the_question_writes_them_once_and_in_its_order() -> None:
    asked = AskedWords.of("Which handbook did Debian's handbooks quote?")
    assert asked.found_in("handbooks", "", "A handbook of debian") == ["handbook", "Debian's"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Ulm.  Einstein was born in Ulm.\n\nBorn in Ulm was Einstein.", "Einstein was born in Ulm."),
        ("  Ulm Ulm Ulm. Born in Ulm  ", "Born in Ulm"),  # different words count
        ("Vienna.", None),
        ("", None),
    ],
)
def test_the_best_sentence_has_most_different_words_and_is_the_first_of_several(
    text: str, sentence: str | None
) -> None:
    asked = AskedWords.of("Who was born in Ulm?")
    found = asked.best_sentence(text, asked.spans(text))
    assert (text[slice(*found)] if found else None) == sentence


def test_of_a_table_the_best_line_is_marked() -> None:
    text = "".join(f"| {kind} | the file | {kind} title\n" for kind in ["text", "html", "pdf", "docx"] * 10)
    asked = AskedWords.of("How is the title of a PDF file chosen?")
    found = asked.best_sentence(text, asked.spans(text))
    assert found is not None
    assert text[slice(*found)] == "| pdf | the file | pdf title"


def test_long_questions_and_texts_are_bounded() -> None:
    asked = AskedWords.of(" ".join(f"word{number}" for number in range(10_000)))
    assert len(asked.forms) == MOST_QUERY_WORDS
    assert len(asked.spans("word1 " * 10_000)) == _MOST_MARKED_SPANS
