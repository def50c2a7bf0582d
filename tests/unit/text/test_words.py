"""The words of texts and of questions, as the index of sections has them."""

from __future__ import annotations

import itertools

import pytest

from overstory.text.words import LONGEST_WORD_CHARACTERS, asked_words, indexed_words, query_terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("?! … — «»", []),
        ("The writer's handbooks were writing.", ["the", "writer", "handbook", "were", "write"]),
        ("Größe, Čapek und Ελλάδα", ["größe", "čapek", "und", "ελλάδα"]),
        ("भारत की राजधानी", ["भारत", "की", "राजधानी"]),
        ("谁出生在Ulm？", ["谁", "出", "生", "在", "ulm"]),
        ("ドラキュラの作者", ["ドラキュラ", "の", "作", "者"]),
        ("sand sand", ["sand", "sand"]),  # each time, which BM25 counts
    ],
)
def test_words_of_a_text_are_stems_in_its_order(text: str, words: list[str]) -> None:
    assert indexed_words(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("--max-depth", ["max", "depth", "--max-depth"]),
        ("Call os.path.join() now", ["call", "os", "path", "join", "now", "os.path.join"]),
        ("max_depth", ["max_depth", "max", "depth"]),
        ("ExitStack", ["exitstack", "exit", "stack"]),
        ("XMLParser2", ["xmlparser2", "xml", "parser", "2"]),
        ("see find(1)", ["see", "find", "1", "find(1)"]),
        ("in /etc/fstab", ["in", "etc", "fstab", "/etc/fstab"]),
        ("std::vector", ["std", "vector", "std::vector"]),
        ("IDs", ["id"]),
    ],
)
def test_names_of_technical_text_are_there_whole_and_in_parts(text: str, words: list[str]) -> None:
    assert indexed_words(text) == words


@pytest.mark.parametrize(
    "name", ["--max-depth", "os.path.join", "max_depth", "ExitStack", "find(1)", "/etc/fstab", "std::vector", "-name"]
)
def test_a_question_has_the_words_by_which_a_text_with_the_name_is_indexed(name: str) -> None:
    asked = asked_words(f"How do I use {name} here?")
    assert set(asked) == set(indexed_words(name))
    assert set(asked) <= set(indexed_words(f"It is said that {name} comes first, before f.read() and so on."))


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How do I sort a list?", ["sort", "list"]),
        ("Where was the director of Ostwind born?", ["director", "ostwind", "born"]),
        ("Who are you?", ["who", "ar", "you"]),  # it has no others
        ("WHO ARE YOU?", ["who", "ar", "you"]),
        ("Is IT hard for US firms?", ["it", "hard", "us", "firm"]),
        ("Is it hard for us?", ["hard"]),
        ("IS IT HARD FOR US?", ["hard"]),  # everything is in capitals
        ("Sorting sorts, sorted by sorters", ["sort", "sorter"]),  # each once
        ("?!", []),
        ("", []),
    ],
)
def test_a_question_is_looked_up_without_what_questions_consist_of(question: str, words: list[str]) -> None:
    assert asked_words(question) == words


def test_telling_words_are_as_the_question_writes_them() -> None:
    assert query_terms("How do I print Handbooks for the US?") == ["print", "Handbooks", "US"]
    assert query_terms("How is it?") == ["How", "is", "it"]
    assert query_terms("") == []


@pytest.mark.parametrize("text", ["x" * 100_000, "écoutez" * 10_000, "a_" * 50_000, "aB" * 50_000, "字" * 10_000])
def test_no_word_is_longer_than_the_index_takes_and_words_are_no_more_than_twice_the_text(text: str) -> None:
    words = indexed_words(text)
    assert max(map(len, words)) <= LONGEST_WORD_CHARACTERS
    assert sum(map(len, words)) <= 2 * len(text)
    assert not any(character.isspace() for character in itertools.chain(*words))


@pytest.mark.parametrize("times", [1, 10, 100])
def test_words_of_a_longer_text_are_in_proportion(times: int) -> None:
    text = "Use os.path.join(base, name) with --max-depth; see find(1) and ExitStack. "
    assert len(indexed_words(text * times)) == times * len(indexed_words(text))
