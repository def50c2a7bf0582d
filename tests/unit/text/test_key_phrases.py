"""Key phrases: what the texts of several things share."""

from __future__ import annotations

import pytest

from overstory.text.key_phrases import (
    _MOST_KEY_PHRASES,
    CommonWords,
    Described,
    evenly,
    is_readable_name,
    key_phrases,
    theme_of,
)

REST = [Described(f"Town {place}", f"It is a town of {place} houses on a river.") for place in range(40)]


def phrases_of(*things: Described) -> list[str]:
    return key_phrases(things, CommonWords(lambda: [*things, *REST]))


def test_what_one_sentence_says_of_several_things_does_not_count_as_shared() -> None:
    one = "The comet was seen by Ada and Ben in the observatory."
    things = Described("Ada", one), Described("Ben", f"{one} He was a glazier."), Described("Cid", "A glazier of Ulm.")
    assert phrases_of(*things) == ["glazier"]


def test_a_name_of_one_thing_is_no_key_phrase_and_words_side_by_side_are_one() -> None:
    ada = Described("Ada", "A jazz pianist, as was Benny Bell.")
    assert phrases_of(ada, Described("Benny Bell", "A jazz pianist. Benny Bell lived in Ulm.")) == ["jazz pianist"]


def test_words_of_the_head_are_left_out() -> None:
    things = Described("Neo", "A hacker. He sees Zion."), Described("Trinity", "Zion is her home, and she is a hacker.")
    common = CommonWords(lambda: [*things, *REST])
    assert key_phrases(things, common) == ["hacker", "Zion"]
    assert key_phrases(things, common, head="Zion and others") == ["hacker"]


def test_a_phrase_is_written_as_most_texts_write_it() -> None:
    things = [
        Described(name, f"A {word} of Ulm.") for name, word in (("A", "Glazier"), ("B", "glazier"), ("C", "glazier"))
    ]
    assert "glazier" in phrases_of(*things)


def test_words_that_every_text_has_are_no_key_phrases_and_there_are_few_of_them() -> None:
    assert key_phrases(REST, CommonWords(lambda: REST)) == []


def test_a_phrase_that_a_third_of_many_texts_share_distinguishes_none() -> None:
    metals = [Described(f"M{at}", "A chemical element, a metal.") for at in range(10)]
    gases = [Described(f"G{at}", "A chemical element, a noble gas.") for at in range(20)]
    common = CommonWords(lambda: [*metals, *gases])
    assert not common.distinguishes("chemical element")
    assert not common.distinguishes("noble gas")
    assert common.distinguishes("rare metal")
    assert CommonWords(lambda: metals[:9]).distinguishes("chemical element")
    words = ["anchor", "barrel", "candle", "dagger", "engine", "feather", "goblet", "hammer"]
    things = [Described(name, " ".join(f"The {word} of {name}." for word in words)) for name in ("Ada", "Ben")]
    assert len(phrases_of(*things)) == _MOST_KEY_PHRASES


def test_without_things_or_texts_there_are_none() -> None:
    assert phrases_of() == []
    assert phrases_of(Described("Ada", ""), Described("Ben", "")) == []


def test_a_sample_is_taken_at_equal_distances() -> None:
    assert list(evenly(range(10), 3)) == [0, 4, 8]
    assert list(evenly(range(3), 3)) == [0, 1, 2]


def test_code_headers_and_greetings_are_no_key_phrases() -> None:
    text = "Hello, the quoted-printable const myEmitter doesn't void the glazier's MIME-Version of x86."
    assert phrases_of(Described("Ada", text), Described("Ben", f"So: {text}")) == ["glazier"]


@pytest.mark.parametrize(
    ("phrases", "text", "theme"),
    [
        (["glazier", "glass window"], "He made the glass window. He was a glazier.", "glass window"),
        (["received critical acclaim", "Norwegian drama"], "A Norwegian drama of 1950.", "Norwegian drama"),
        (["available", "file"], "The file is available.", ""),
        (["glazier"], "Pauli was an Austrian glazier.", "glazier"),
        (["glazier"], "They met glazier Ada.", ""),
        (
            ["causing probes", "packet size estimation"],
            "It is wrong in packet size estimation.",
            "packet size estimation",
        ),
        (["Hamilton Tiger"], "He played for the Hamilton Tiger-Cats.", ""),
        ([], "Nothing.", ""),
    ],
)
def test_a_theme_is_a_noun_phrase_as_a_text_has_it(phrases: list[str], text: str, theme: str) -> None:
    assert theme_of(phrases, [Described("Ada", text)]) == theme


def test_a_name_is_no_theme() -> None:
    assert theme_of(["Benny Bell"], [Described("Benny Bell", "It is a song by Benny Bell.")]) == ""


@pytest.mark.parametrize(
    "name", ["Ada Lovelace", "J. R. R. Tolkien", "floor()", "--max-depth", '"Heroes" album', "McCandless"]
)
def test_a_readable_name(name: str) -> None:
    assert is_readable_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "Date: Mon, 7 Mar",
        "system(prog",
        "quoted-printable",
        "see http://unicode.org",
        'Ben" Ben" Bell',
        "end. Fjordbyte AB",
        "42",
        "",
    ],
)
def test_what_does_not_read_like_a_name(name: str) -> None:
    assert not is_readable_name(name)
