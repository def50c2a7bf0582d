from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.sources import write

from overstory.errors import BrokenSource
from overstory_loaders.text_encoding import bad_byte, read_lines


def lines_of(path: Path, *, limit: int = 100) -> tuple[list[tuple[int, str]], list[str]]:
    broken: list[BrokenSource] = []
    lines = [(line.number, line.text) for line in read_lines(str(path), on_broken=broken.append, limit=limit)]
    return lines, [str(error) for error in broken]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_lines_are_read_in_the_encoding_that_the_file_begins_with(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "a.txt", "é\u2028x\r\nb".encode(encoding))
    assert lines_of(path) == ([(1, "é\u2028x\r\n"), (2, "b")], [])


def test_compressed_lines_are_told_by_content(tmp_path: Path) -> None:
    path = write(tmp_path / "plain.name", gzip.compress(b"a\nb\n"))
    assert lines_of(path) == ([(1, "a\n"), (2, "b\n")], [])


def test_a_line_over_the_limit_is_left_out_and_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "a\n" + "x" * 3_000_000 + "\nb\n" + "y" * 101)
    lines, broken = lines_of(path)
    assert lines == [(1, "a\n"), (3, "b\n")]
    assert [message.split(": ")[0] for message in broken] == [f"{path}, line 2", f"{path}, line 4"]


def test_bytes_that_are_not_utf8_are_found_in_their_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "ü caf".encode() + b"\xe9\n")
    ((_, text),), _ = lines_of(path)
    assert bad_byte(text) == "0xe9 at position 7"
    assert bad_byte("ü café") is None


def test_a_file_that_breaks_off_gives_the_lines_before(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(b"%d\n" % number for number in range(10_000)))
    path = write(tmp_path / "a.gz", whole[: len(whole) // 2])
    numbers: list[int] = []
    with pytest.raises(BrokenSource, match="damaged") as raised:
        numbers.extend(line.number for line in read_lines(str(path), on_broken=lambda _: None))
    assert raised.value.line is not None
    assert raised.value.line > 1000


def test_half_characters_in_utf16_do_not_stop_the_rest(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "a\n".encode("utf-16") + b"\x3d\xd8" + "\nb\n".encode("utf-16-le"))
    lines, broken = lines_of(path)
    assert [text for _, text in lines] == ["a\n", "\ud83d\n", "b\n"]
    assert broken == []
