from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overstory.embed.bert import WordPieces
from overstory.model import Document, Heading, TextPiece
from overstory.model.passage_text import passage_text
from overstory.text import split
from overstory.text.chunks import CountTokens
from overstory.text.sentences import sentence_starts


def count_words(texts: Sequence[str]) -> list[int]:
    """A tokenizer for tests: words, and two that are always added."""
    return [len(text.split()) + 2 for text in texts]


def count_bytes(texts: Sequence[str]) -> list[int]:
    """Another: every third byte is a token, and none is added."""
    return [-(-len(text.encode()) // 3) for text in texts]


WORD_PIECES = WordPieces()


def document(text: str, title: str = "", headings: Sequence[Heading] = ()) -> Document:
    return Document("test", "", text, title, headings=tuple(headings))


def texts(pieces: Sequence[TextPiece]) -> list[str]:
    return [piece.text for piece in pieces]


def sentence(words: int, name: str = "Word") -> str:
    return " ".join([name] * words) + "."


@pytest.mark.parametrize("text", ["a" * 200_000, "word " * 40_000, "ab, " * 50_000], ids=["a", "words", "clauses"])
def test_no_tokenizer_is_given_a_whole_endless_line(text: str) -> None:
    longest = 0

    def count(texts: Sequence[str]) -> list[int]:
        nonlocal longest
        longest = max(longest, *map(len, texts))
        return WORD_PIECES.count(texts)

    pieces = split(document(text), count, 256)
    assert "".join(texts(pieces)) == text
    assert longest <= 16 * 256


@pytest.mark.parametrize(
    "doc",
    [
        document("a" * 5_000),
        document("word " * 2_000, "Title"),
        document("One. Two.\n\nThree " * 500, headings=[Heading(0, 1, "One"), Heading(300, 1, "Two")]),
        document("Short."),
    ],
)
def test_every_character_is_heard_of_twice(doc: Document) -> None:
    heard: list[int] = []
    split(doc, WORD_PIECES.count, 64, on_counted=heard.append)
    assert sum(heard) == 2 * len(doc.text)


def test_a_short_text_is_one_piece_with_its_title_counted() -> None:
    [piece] = split(document("Paris is big. It is old.", "Paris"), count_words, 20)
    assert piece == TextPiece(0, 0, 24, "Paris is big. It is old.", "", 9)


def test_a_paragraph_that_does_not_fit_is_cut_between_sentences_into_parts_of_about_one_length() -> None:
    text = " ".join(sentence(4) for _ in range(6))
    pieces = split(document(text), count_words, 22)  # 20 words a piece would leave one of 4
    assert [piece.token_count - 2 for piece in pieces] == [12, 12]


def test_paragraphs_are_pieces_of_their_own_though_more_would_fit() -> None:
    text = "\n\n".join(sentence(40, name) for name in ("One", "Two", "Three"))
    assert [piece.text.split()[0] for piece in split(document(text), count_words, 256)] == ["One", "Two", "Three"]


def test_paragraphs_of_a_few_words_are_joined() -> None:
    text = "\n\n".join(sentence(5, name) for name in ("One", "Two", "Three", "Four"))
    assert len(split(document(text), count_words, 256)) == 1


def test_a_sentence_over_the_limit_is_cut_after_clauses_else_words_else_anywhere() -> None:
    clauses = "one two three, four five six, seven eight nine, ten eleven twelve"
    assert texts(split(document(clauses), count_words, 8)) == [
        "one two three, four five six, ",
        "seven eight nine, ten eleven twelve",
    ]
    words = "one two three four five six"
    assert texts(split(document(words), count_words, 5)) == ["one two three ", "four five six"]
    assert max(len(text) for text in texts(split(document("x" * 900), count_bytes, 30))) <= 90


def test_a_block_of_letters_that_a_tokenizer_takes_for_one_word_is_cut() -> None:
    pieces = split(document("x" * 200_000), WORD_PIECES.count, 256)
    assert max(len(text) for text in texts(pieces)) <= 256 * 16


MANUAL = "Intro.\n\n# Setup\n\n## Linux\nInstall it.\n\n## Mac\nDrag it.\n\n# Use\nRun it.\n\n# Index"
HEADINGS = [Heading(m.start(), len(m.group(1)), m.group(2)) for m in re.finditer(r"(?m)^(#+) (.+)$", MANUAL)]


def test_a_piece_carries_the_path_of_headings_above_it() -> None:
    pieces = split(document(MANUAL, "Manual", HEADINGS), count_words, 100)
    assert [(piece.heading, piece.text.split()[-1]) for piece in pieces] == [
        ("", "Intro."),
        ("Setup › Linux", "it."),
        ("Setup › Mac", "it."),
        ("Use", "it."),
        ("Index", "Index"),
    ]


def test_a_heading_without_a_body_stays_with_what_follows_it() -> None:
    pieces = split(document(MANUAL, "Manual", HEADINGS), count_words, 100)
    assert pieces[1].text == "# Setup\n\n## Linux\nInstall it.\n\n"


def test_headings_out_of_order_or_beyond_the_text_do_no_harm() -> None:
    headings = [Heading(8, 1, "B"), Heading(4, 1, "A"), Heading(900, 1, "C"), Heading(-3, 1, "D"), Heading(4, 1, "A")]
    pieces = split(document("one\nA\na\nB\nb", headings=headings), count_words, 100)
    assert [(piece.text, piece.heading) for piece in pieces] == [("one\n", ""), ("A\na\n", "A"), ("B\nb", "B")]


def test_a_title_alone_is_a_piece_and_nothing_at_all_is_none() -> None:
    assert texts(split(document("", "Paris"), count_words, 10)) == [""]
    assert split(document(" \n"), count_words, 10) == []


def test_a_title_that_leaves_no_room_does_not_grind_the_text_to_dust() -> None:
    pieces = split(document(" ".join(["word"] * 100), "title " * 50), count_words, 40)
    assert [len(text.split()) for text in texts(pieces)] == [10] * 10


def test_a_long_text_takes_time_in_proportion() -> None:
    text = "\n\n".join(" ".join([sentence(12)] * 6) for _ in range(2_000))
    pieces = split(document(text), count_words, 256)
    assert len(pieces) == 2_000


def test_what_is_said_twice_is_embedded_once() -> None:
    assert passage_text("Setup", "Setup › Linux", "Install it.") == "Setup\nLinux\nInstall it."
    assert passage_text("Setup", "Setup", "Read on.") == "Setup\nRead on."
    assert passage_text("", "", "Text.") == "Text."


# Texts that have what a cut could stumble over.
WORDS = st.sampled_from(
    [
        "word",
        "Word.",
        "word,",
        "Mr.",
        "U.S.",
        "3.5",
        "x" * 30,
        "北京。",
        "e\u0301",
        "🌳",
        "\n\n",
        "\n",
        " \n \n",
        "-",
        "“So!”",
    ]
)
TEXTS = st.lists(st.tuples(WORDS, st.sampled_from([" ", "", "  "])), max_size=80).map(
    lambda parts: "".join(word + gap for word, gap in parts).strip()
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(TEXTS)
    starts = sorted(draw(st.sets(st.integers(0, max(0, len(text) - 1)), max_size=4)))
    headings = [Heading(start, draw(st.integers(1, 3)), f"H{i}") for i, start in enumerate(starts)]
    return document(text, draw(st.sampled_from(["", "A title"])), headings)


COUNTERS = [count_words, count_bytes, WORD_PIECES.count]


@settings(deadline=None)
@given(documents(), st.integers(24, 80), st.sampled_from(COUNTERS))
def test_pieces_tile_the_document_within_the_limit(doc: Document, limit: int, count: CountTokens) -> None:
    pieces = split(doc, count, limit)
    if not pieces:
        assert not doc.text
        assert not doc.title
        return
    assert "".join(texts(pieces)) == doc.text
    assert [piece.seq for piece in pieces] == list(range(len(pieces)))
    assert (pieces[0].start, pieces[-1].end) == (0, len(doc.text))
    assert all(before.end == after.start for before, after in pairwise(pieces))
    for piece in pieces:
        assert piece.text == doc.text[piece.start : piece.end]
        assert [piece.token_count] == count([passage_text(doc.title, piece.heading, piece.text)])
        assert piece.token_count <= limit


@settings(deadline=None)
@given(TEXTS, st.sampled_from(["", "A title"]), st.integers(24, 80))
def test_pieces_end_where_sentences_do_unless_a_sentence_is_too_long(text: str, title: str, limit: int) -> None:
    starts = sentence_starts(text)
    room = limit - count_words([passage_text(title, "", "")])[0]
    for piece in split(document(text, title), count_words, limit)[1:]:
        if piece.start not in starts:
            first = max(start for start in starts if start < piece.start)
            last = min([len(text), *(start for start in starts if start > piece.start)])
            assert max(len(text[first:last].split()), (last - first) // 16) > room  # 16: no token has more characters


@settings(deadline=None)
@given(documents(), st.integers(24, 80))
def test_no_piece_goes_past_a_heading_with_a_body(doc: Document, limit: int) -> None:
    for piece in split(doc, count_words, limit):
        inside = [h.start for h in doc.headings if piece.start < h.start < piece.end]
        for before, after in pairwise([piece.start, *inside]):
            assert not any(c.isalnum() for c in doc.text[before:after].strip().partition("\n")[2])


@pytest.mark.parametrize("count", COUNTERS)
def test_the_same_document_gives_the_same_pieces(count: CountTokens) -> None:
    text = " ".join(sentence(n % 17 + 3) for n in range(200))
    assert split(document(text), count, 64) == split(document(text), count, 64)
