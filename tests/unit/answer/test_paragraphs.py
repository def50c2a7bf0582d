"""What of a passage is sentences."""

from __future__ import annotations

import pytest

from overstory.answer.paragraphs import paragraphs


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("# Ulm\nUlm is old.\n## Places\nThe minster.", ["Ulm is old.", "The minster."]),
        ("Ulm\n===\nUlm is old.\nPlaces\n---\nThe minster.", ["Ulm is old.", "The minster."]),
        ("Ulm\n\nUlm is\nold.", ["Ulm is\nold."]),
        ("Ulm is old\n\nIt has a minster", ["It has a minster"]),
        ("The keys:\n\n- of Ulm\n\n- of Bern\n\nAll lost.", ["The keys:", "- of Ulm", "- of Bern", "All lost."]),
        ("DESCRIPTION\nIt lists\nfiles.\n\nSEE ALSO\n   ls(1)", ["It lists\nfiles.", "   ls(1)"]),
        ("STOP\nALL SHIPS", ["STOP\nALL SHIPS"]),
        ("OPTIONS:\nRFC 2119\nA_B", ["OPTIONS:\nRFC 2119\nA_B"]),
        ("# Ulm", []),
        ("Ulm", ["Ulm"]),
        ("#hashtag is old", ["#hashtag is old"]),
        ("", []),
    ],
)
def test_headings_go_and_paragraphs_stay(text: str, parts: list[str]) -> None:
    assert paragraphs(text) == parts
