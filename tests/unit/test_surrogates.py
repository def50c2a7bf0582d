from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory.surrogates import escaped, printable, well_formed


def test_half_a_character_is_replaced_and_the_rest_stays() -> None:
    assert well_formed("a\ud800b\udfff🌳\0") == "a\N{REPLACEMENT CHARACTER}b\N{REPLACEMENT CHARACTER}🌳\0"


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_the_result_can_be_written_and_is_as_long_as_before(text: str) -> None:
    assert len(well_formed(text)) == len(text)
    well_formed(text).encode()


def test_a_name_is_escaped_onto_one_line() -> None:
    assert escaped("é🌳 a\nb\tc\x1b[31m\u2028\udcff") == r"é🌳 a\nb\tc\x1b[31m\u2028\udcff"
    assert printable("a\nb\x1b") == "a\nb"
