"""Names by their shape: which there are in technical text, and that prose has none."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from overstory.text.names.dictionary import NameDictionary, mentioned_names
from overstory.text.names.keys import entity_key
from overstory.text.names.shapes import shape_key, shapes, shapes_of_question
from overstory.text.names.subjects import name_start, name_starts
from overstory.text.names.tokens import tokenise


def found(text: str) -> list[tuple[str, str]]:
    return [(shape.key, shape.type) for shape in shapes(text)]


@pytest.mark.parametrize(
    ("text", "key", "type_"),
    [
        ("use contextlib.suppress here", "contextlib.suppress", "CODE"),
        ("it calls os.path.join() twice", "os.path.join", "CODE"),
        ("set max_depth to two", "max_depth", "CODE"),
        ("the method __enter__ of a class", "__enter__", "CODE"),
        ("as hasattr() would", "hasattr()", "CODE"),
        ("a std::vector of them", "std::vector", "CODE"),
        ("with OVERSTORY_HOME set", "overstory_home", "CODE"),
        ("give --max-depth=3 to it", "--max-depth", "OPTION"),
        ("-V, print the version", "-V", "OPTION"),
        ("-name pattern", "-name", "OPTION"),
        ("see find(1) for more", "find(1)", "COMMAND"),
        ("GIT-PUSH(1)", "git-push(1)", "COMMAND"),
        ("written to /etc/apt/sources.list.", "/etc/apt/sources.list", "FILE"),
        ("in ~/.config/overstory first", "~/.config/overstory", "FILE"),
        ("edit sources.list by hand", "sources.list", "FILE"),
    ],
)
def test_technical_names_are_known_by_their_shape(text: str, key: str, type_: str) -> None:
    assert found(text) == [(key, type_)]


@pytest.mark.parametrize(
    "text",
    [
        "Robert De Niro met J.R.R. Tolkien in the U.S. at 3.30 p.m., e.g. for tea.",
        "The film was released in 1999.The sequel followed on Amazon.com and www.example.org.",
        "McDonald and DiCaprio watched YouTube on a PlayStation with LeBron.",
        "A singer-songwriter, 1990-present, wrote to ada@example.org and/or https://example.org/a_b/c.html",
        "The suffix -ing, and a word(s) like that; the actor(s) came (see below).",
        "-Well, he said.\n-Never.",
        "",
    ],
)
def test_prose_has_no_shapes(text: str) -> None:
    assert shapes(text) == []


def test_what_may_be_prose_counts_beside_a_sure_shape_only() -> None:
    assert found("Its -based forms and getElement are words.") == []
    assert found("Use -exec and getElement with os.walk.") == [
        ("-exec", "OPTION"),
        ("getelement", "CODE"),
        ("os.walk", "CODE"),
    ]


def test_a_word_with_capitals_inside_is_code_where_the_text_calls_it() -> None:
    assert ("exitstack", "CODE") in found("An ExitStack is entered: contextlib.ExitStack keeps it.")
    assert ("github", "CODE") not in found("GitHub has the source of contextlib.suppress.")


def test_single_letters_are_different_options_in_capitals() -> None:
    assert [key for key, _ in found("-v, --verbose\n-V, --version")] == ["-v", "--verbose", "-V", "--version"]


PIECES = st.sampled_from(
    [
        "os.path",
        "max_depth",
        "--all",
        "-v",
        "find(1)",
        "Kim",
        "kim",
        "()",
        ".",
        " ",
        "\n",
        "f",
        "::",
        "/etc/x",
        "-",
        "é",
        "(1)",
        "X.Y",
        "B",
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
@example("X.Y()")
@example("f.read() and example.com()")
def test_the_key_of_a_shape_is_the_key_of_its_words_and_its_own(text: str) -> None:
    for shape in shapes(text):
        assert entity_key(text[shape.start : shape.end]) == shape.key == entity_key(shape.key)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_shape_is_found_in_its_text_and_begins_there(text: str) -> None:
    tokens = tokenise(text)
    for shape in shapes(text):
        names = NameDictionary([shape.key])
        assert shape.key in names.anywhere(tokens)
        assert name_start(shape.key) in name_starts(tokens)
        places = [(m.start, m.end) for m in mentioned_names(tokens, names, NameDictionary()) if m.key == shape.key]
        assert (shape.start, shape.end) in places


def test_marks_tell_an_option_and_an_identifier_from_words() -> None:
    keys = ["-name", "name", "max_depth", "max depth", "--max-depth", "suppress", "suppress()", "contextlib.suppress"]
    assert [entity_key(key) for key in keys] == keys
    assert shape_key("Amazon.com") == shape_key("U.S.") == shape_key("Mr.Anderson") == ""
    assert shape_key("/o/") == ""


def test_in_a_question_one_shape_is_enough() -> None:
    assert [shape.key for shape in shapes_of_question("What does -exec do in find?")] == ["-exec"]
