from __future__ import annotations

from itertools import pairwise

import pytest

from overstory.text.layout import block_starts


def blocks(text: str) -> list[str]:
    bounds = [0, *block_starts(text), len(text)]
    return [" ".join(text[a:b].split()) for a, b in pairwise(bounds)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One line alone.", ["One line alone."]),
        ("A paragraph that is wrapped at the margin, as texts\nare in which lines have a width.", 1),
        ("NAME\n       sift - sort the grains of a heap by size", ["NAME", "sift - sort the grains of a heap by size"]),
        ("First paragraph.\n\nSecond one.", ["First paragraph.", "Second one."]),
        ("These are the sizes of the meshes in the box:\n- small\n- large", 3),
        (
            "heap\nA pile of grains that nobody has sorted yet.",
            ["heap", "A pile of grains that nobody has sorted yet."],
        ),
        ("", [""]),
    ],
)
def test_lines_that_begin_something_are_told_from_wrapped_ones(text: str, expected: list[str] | int) -> None:
    found = blocks(text)
    assert (len(found) if isinstance(expected, int) else found) == expected
