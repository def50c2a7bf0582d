from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from overstory.errors import BrokenSource
from overstory_loaders.place import Place
from overstory_loaders.records import KeyRegister, content_key


def place(line: int) -> Place:
    return Place("a.jsonl", line)


def test_a_key_is_claimed_once_and_the_second_hears_of_the_first() -> None:
    with KeyRegister() as keys:
        keys.claim("x", place(1))
        with pytest.raises(BrokenSource, match=r"line 9: has the same id 'x' as line 1, which was loaded"):
            keys.claim("x", place(9))


def test_namespaces_have_keys_of_their_own() -> None:
    with KeyRegister() as keys:
        keys.claim("x", place(1), namespace="a")
        keys.claim("x", place(2), namespace="b")


@pytest.mark.parametrize("key", ["a\x00", "\ud800", "x" * 1001])
def test_keys_that_cannot_be_stored_are_refused(key: str) -> None:
    with KeyRegister() as keys, pytest.raises(BrokenSource, match="its id"):
        keys.claim(key, place(1))


def test_a_content_key_follows_from_content_alone() -> None:
    assert content_key({"a": 1, "b": "ü"}) == content_key({"b": "ü", "a": 1})
    assert content_key({"a": 1}) != content_key({"a": 2})
    assert content_key({"a": "\ud800"})


def test_records_that_repeat_another_are_numbered() -> None:
    with KeyRegister() as keys:
        claimed = [keys.claim_content("k", place(line)) for line in (1, 2, 3)]
    assert claimed == ["k", "k-2", "k-3"]


def test_a_register_may_be_used_from_another_thread() -> None:
    with KeyRegister() as keys:
        thread = Thread(target=keys.claim, args=("x", place(1)))
        thread.start()
        thread.join()
        with pytest.raises(BrokenSource):
            keys.claim("x", place(2))


def test_a_register_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    with KeyRegister() as keys:
        for number in range(1000):
            keys.claim(str(number), place(number))
    assert list(tmp_path.iterdir()) == []
