"""Damaged exports: whatever is changed, lost, added or moved is refused at its line, and nothing after it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest

from overstory.errors import BrokenSource
from overstory.transfer.export import sealed, unsealed

LINES = ['{"overstory_export":5}', '{"text":"Ünïted"}', '{"text":"b"}', '{"text":"c","checksum":"x"}']
SEALED = [f"{line}\n".encode() for line in sealed(LINES)]
OTHER = [f"{line}\n".encode() for line in sealed(['{"overstory_export":5,"corpus":"o"}', *LINES[1:3]])]


def read(lines: list[bytes]) -> tuple[list[str], BrokenSource | None]:
    found: list[str] = []
    try:
        for _, line in unsealed(lines, "e.jsonl"):
            found.append(line)  # what comes before an error counts
    except BrokenSource as error:
        return found, error
    return found, None


def test_lines_are_read_as_they_were_written() -> None:
    assert read(SEALED) == (LINES, None)
    assert read([line.replace(b"\n", b"\r\n") for line in SEALED]) == (LINES, None)
    assert read([*SEALED[:2], b"\n", *SEALED[2:], b"\n"]) == (LINES, None)
    assert read([f"{line}\n".encode() for line in sealed(LINES[:1])]) == (LINES[:1], None)


def test_every_flipped_bit_is_refused_at_its_line() -> None:
    whole = b"".join(SEALED)[:-1]
    for place in range(len(whole)):
        number = whole.count(b"\n", 0, place)
        for bit in range(8):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            found, error = read(bytes(damaged).split(b"\n"))
            assert error is not None
            assert found == LINES[: len(found)]
            assert number - 1 <= len(found) <= number
            assert error.line in (number, number + 1, number + 2)


DAMAGE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "no header": (lambda lines: lines[1:], 1),
    "a line is missing": (lambda lines: [*lines[:2], *lines[3:]], 3),
    "the last document is missing": (lambda lines: [*lines[:3], lines[4]], 4),
    "the end is missing": (lambda lines: lines[:4], 4),
    "half of it": (lambda lines: [*lines[:2], lines[2][:20]], 3),
    "half of the end": (lambda lines: [*lines[:4], lines[4][:20]], 5),
    "nothing": (lambda lines: lines[:0], 1),
    "blank lines": (lambda lines: [b"\n"] * len(lines), 5),
    "a line twice": (lambda lines: [*lines[:2], *lines[1:]], 3),
    "two lines in another order": (lambda lines: [*lines[:1], lines[2], lines[1], *lines[3:]], 2),
    "a line of another export": (lambda lines: [*lines[:2], OTHER[2], *lines[3:]], 3),
    "a line after the end": (lambda lines: [*lines, lines[1]], 6),
    "two exports": (lambda lines: [*lines, *lines], 6),
    "the end of another export": (lambda lines: [*lines[:4], OTHER[3]], 5),
    "a line without its checksum": (lambda lines: [*lines[:2], LINES[2].encode(), *lines[3:]], 3),
    "an edited line": (lambda lines: [lines[0], lines[1].replace(b"text", b"title"), *lines[2:]], 2),
}


@pytest.mark.parametrize(("damage", "line"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_is_refused_at_its_line(damage: Callable[[list[bytes]], list[bytes]], line: int) -> None:
    found, error = read(damage(SEALED))
    assert error is not None
    assert error.line == line
    assert f"e.jsonl, line {line}: " in str(error)
    assert found == LINES[: len(found)]


def test_a_line_with_the_right_checksum_that_is_not_utf_8_is_refused() -> None:
    digest = hashlib.sha256(b'{"a":"\xff"}').hexdigest()
    _, error = read([b'{"a":"\xff","checksum":"%b"}' % digest.encode()])
    assert error is not None
    assert "UTF-8" in str(error)
