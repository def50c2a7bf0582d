"""Key phrases: what the texts of several things share."""

from __future__ import annotations

from overstory.text.key_phrases import MOST_PHRASES, CommonWords, Described, evenly, key_phrases

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
    words = ["anchor", "barrel", "candle", "dagger", "engine", "feather", "goblet", "hammer"]
    things = [Described(name, " ".join(f"The {word} of {name}." for word in words)) for name in ("Ada", "Ben")]
    assert len(phrases_of(*things)) == MOST_PHRASES


def test_without_things_or_texts_there_are_none() -> None:
    assert phrases_of() == []
    assert phrases_of(Described("Ada", ""), Described("Ben", "")) == []


def test_a_sample_is_taken_at_equal_distances() -> None:
    assert list(evenly(range(10), 3)) == [0, 4, 8]
    assert list(evenly(range(3), 3)) == [0, 1, 2]
