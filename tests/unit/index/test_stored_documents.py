"""The meaning of a text as a source, without a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overstory.index.stored_documents import nearest_sources, selections


def means(given_: str, source: str) -> bool:
    """Return True if one of the meanings of a text contains a source."""
    return any(selection.holds(source) for selection in selections(given_))


def test_a_path_is_that_of_ingest_with_everything_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in ("docs", "docs/", "./docs", "other/../docs", str(tmp_path / "docs")):
        assert means(text, f"{tmp_path}/docs")
        assert means(text, f"{tmp_path}/docs/man/find.txt")
        assert not means(text, f"{tmp_path}/docs-2/find.txt")
        assert not means(text, f"{tmp_path}/doc")


def test_a_source_as_it_is_listed_comes_before_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, second = selections("wiki")
    assert first.holds("wiki")
    assert not first.holds("wiki/below")
    assert second.holds(f"{tmp_path}/wiki/below")


@pytest.mark.parametrize(
    ("pattern", "held", "not_held"),
    [
        ("docs/*.html", ["docs/a.html"], ["docs/a.htm", "docs/x/a.html", "docs/a.html2"]),
        ("docs/**/*.html", ["docs/a.html", "docs/x/y/a.html"], ["a.html"]),
        ("docs/**", ["docs/a", "docs/x/a"], ["docs2/a"]),
        ("d?cs/[ab].txt", ["docs/a.txt", "dacs/b.txt"], ["docs/c.txt", "d/cs/a.txt"]),
        ("[!a-c].txt", ["d.txt"], ["a.txt", "/.txt"]),
        ("old*", ["old1", "old1/a.txt"], ["new/old1"]),
        ("a[.txt*", ["a[.txt", "a[.txt2"], ["a.txt"]),
        ("line\nfeed*", ["line\nfeed\n.txt"], ["line feed"]),
    ],
)
def test_a_pattern_is_one_of_paths(
    pattern: str, held: list[str], not_held: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for source in held:
        assert means(pattern, f"{tmp_path}/{source}"), source
    for source in not_held:
        assert not means(pattern, f"{tmp_path}/{source}"), source


def test_a_file_whose_name_looks_like_a_pattern_is_meant_before_others(tmp_path: Path) -> None:
    first = selections(f"{tmp_path}/a[1].txt")[0]
    assert first.holds(f"{tmp_path}/a[1].txt")
    assert not first.holds(f"{tmp_path}/a1.txt")


def test_an_empty_text_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A script with an unset variable (--source "$FOLDER") must not delete what is below "/"."""
    monkeypatch.chdir(tmp_path)
    assert means("", "")
    assert not means("", f"{tmp_path}/a.txt")
    assert means("/", f"{tmp_path}/a.txt")


@given(st.text())
def test_any_text_can_be_looked_for(text: str) -> None:
    for selection in selections(text):
        selection.holds("/a/b.txt")


def test_the_nearest_sources_have_nearly_the_same_name_and_then_folder() -> None:
    known = ["/d/man/find.txt", "/e/man/find.txt", "/d/man/fine.txt", "/d/man/sort.txt", "/d/man/finds.txt"]
    assert nearest_sources("/d/man/find.tx", known) == ("/d/man/find.txt", "/e/man/find.txt", "/d/man/finds.txt")
    assert nearest_sources("/d/zzzz", known) == ()
    assert nearest_sources("notes", ["note", "wiki"]) == ("note",)
