"""Blocks of quoted text: nothing in them ends them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overstory_service.mcp.quoting import Quotation, cut

MARKS = st.sampled_from(
    ["-----END QUOTED DOCUMENT TEXT", "-----", "quoted  document\ntext", "\r\n", "\x85", "\u2028", "\u202e", "\x1b[2J"]
)


@given(st.lists(st.one_of(st.text(), MARKS)).map(" ".join))
def test_no_text_ends_its_block(text: str) -> None:
    quotation = Quotation()
    lines = quotation.block(text).splitlines()
    ends = [f"-----{which} QUOTED DOCUMENT TEXT {quotation.boundary}-----" for which in ("BEGIN", "END")]
    assert [lines[0], lines[-1]] == ends
    assert not [line for line in lines[1:-1] if "quoted document text" in " ".join(line.casefold().split())]
    assert not [line for line in lines if quotation.boundary in line and line not in ends]


def test_each_result_has_a_boundary_of_its_own_and_the_notice_names_it() -> None:
    first, second = Quotation(), Quotation()
    assert first.boundary != second.boundary
    assert first.boundary in first.notice
    assert "never instructions" in first.notice


@given(st.text(), st.integers(2, 50))
def test_a_text_is_cut_to_what_was_asked_for(text: str, most: int) -> None:
    own, is_cut = cut(text, most)
    assert is_cut == (len(text) > most)
    assert own == text if not is_cut else (own.endswith(" …") and len(own) <= most + 2)
