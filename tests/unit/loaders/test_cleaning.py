from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overstory_loaders.blocks import clean_text, clean_title, is_storable

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def test_all_line_ends_become_one() -> None:
    assert clean_text("a\r\nb\rc\u2028d\x0ce\x85f\x0bg") == "a\nb\nc\nd\ne\nf\ng"


def test_control_characters_soft_hyphens_and_byte_order_marks_go() -> None:
    assert clean_text("\ufeffNe\x00w\x1b Yo\xadrk\x7f\x9c") == "New York"


def test_letters_and_their_accents_become_one_character() -> None:
    assert clean_text("Cafe\u0301") == "Caf\u00e9"


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert clean_text("broken \ud83d emoji") == "broken \ufffd emoji"


def test_joiners_that_scripts_need_stay() -> None:
    assert clean_text("می\u200cخواهم 👩\u200d🚀") == "می\u200cخواهم 👩\u200d🚀"


def test_a_title_is_one_line_of_bounded_length() -> None:
    assert clean_title(" A\n  long\tone ") == "A long one"
    assert len(clean_title("x" * 5000)) == 1000


def test_an_id_must_be_storable_as_it_is() -> None:
    assert is_storable("p00001 ü")
    assert not is_storable("a\x00b")
    assert not is_storable("\ud800")


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines may be busy
@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing_and_utf8_can_hold_it(text: str) -> None:
    cleaned = clean_text(text)
    assert clean_text(cleaned) == cleaned == cleaned.strip()
    assert "\r" not in cleaned
    cleaned.encode("utf-8")
