"""Rows of tables and lines of settings are sentences of their own."""

from __future__ import annotations

from overstory.answer.paragraphs import cells_of, row_texts


def rows(text: str) -> list[str]:
    return [text[start:stop] for start, stop in row_texts(text, 0, len(text))]


def test_running_text_is_one_piece() -> None:
    text = "Ada lives in Ulm\nand works in Bern."
    assert rows(text) == [text]


def test_each_row_of_a_table_is_a_piece_without_its_rules() -> None:
    assert rows("| key | value |\n|---|---|\n| a | 1 |\n| b | 2 |") == ["| key | value |", "| a | 1 |", "| b | 2 |"]


def test_lines_of_keys_and_values_are_pieces() -> None:
    assert rows("NAME = Ada\nCITY = Ulm") == ["NAME = Ada", "CITY = Ulm"]
    assert rows("Name: Ada\nCity: Ulm") == ["Name: Ada", "City: Ulm"]


def test_a_line_of_a_paragraph_is_no_row_for_its_colon_or_dash() -> None:
    text = "The first token changes that: from then on every\nrequest needs one, also after the last\nwas revoked."
    assert rows(text) == [text]
    text = "Ada wrote it\nin Ulm - of all places - and\nthen left."
    assert rows(text) == [text]
    assert rows("Set these as follows:\ntimeout: 30\nretries: 3") == [
        "Set these as follows:",
        "timeout: 30",
        "retries: 3",
    ]


def test_a_row_after_running_text_stands_alone() -> None:
    assert rows("The table says\nit all in full\nulm | 1 | 2") == ["The table says\nit all in full", "ulm | 1 | 2"]


def test_cells() -> None:
    assert cells_of("| `a` | 1 |") == ["a", "1"]
    assert cells_of("a\tb") == ["a", "b"]
    assert cells_of("Ada lives in Ulm.") == []
