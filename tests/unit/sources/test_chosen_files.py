"""Patterns choose the files of folders as git's do, and nothing that they leave out counts as gone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.sources import write

from overstory.errors import SettingsError
from overstory.model import Document
from overstory.sources import Coverage, ReadOptions, read_sources
from overstory.sources.read_options import GitPatterns

TREE = ("a.md", "b.txt", "docs/c.md", "docs/drafts/d.md", "docs/drafts/keep.md", "build/e.md", "#f.md")


def read(folder: Path, options: ReadOptions, *named: str, broken: list[str] | None = None) -> tuple[set[str], Coverage]:
    """The paths below a folder that are read, and what the run saw."""
    coverage = Coverage()
    heard = [] if broken is None else broken
    items = read_sources(
        [str(folder), *(str(folder / name) for name in named)],
        loader=None,
        on_broken=lambda error: heard.append(str(error)),
        on_skipped=lambda _: None,
        coverage=coverage,
        options=options,
    )
    found = {Path(item.source).relative_to(folder).as_posix() for item in items if isinstance(item, Document)}
    return found, coverage


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        ((), (), set(TREE)),
        (("*.txt",), (), {"b.txt"}),
        (("docs/",), (), {"docs/c.md", "docs/drafts/d.md", "docs/drafts/keep.md"}),
        (("/*.md",), (), {"a.md", "#f.md"}),
        (("docs/**/d.md", "b.txt"), (), {"docs/drafts/d.md", "b.txt"}),
        (("*.md", "!a.md"), ("build", "\\#*"), {"docs/c.md", "docs/drafts/d.md", "docs/drafts/keep.md"}),
        ((), ("drafts/*", "docs/drafts/*", "!keep.md"), set(TREE) - {"docs/drafts/d.md"}),
        ((), ("drafts/", "!keep.md"), set(TREE) - {"docs/drafts/d.md", "docs/drafts/keep.md"}),  # not entered
    ],
)
def test_patterns_choose_files_as_gits_do(
    tmp_path: Path, include: Sequence[str], exclude: Sequence[str], expected: set[str]
) -> None:
    for name in TREE:
        write(tmp_path / name, f"Text of {name}.")
    found, _ = read(tmp_path, ReadOptions(include=tuple(include), exclude=tuple(exclude)))
    assert found == expected


@pytest.mark.parametrize(
    ("lines", "chosen", "others"),
    [
        (["a/**/b"], ["a/b", "a/x/y/b", "a/b/c"], ["x/a/b", "ab"]),
        (["/a/*", "!/a/b"], ["a/c", "a/c/d"], ["a/b", "a/b/c", "a"]),
        (["a/**"], ["a/b", "a/b/c"], ["a", "b/a/c"]),
        (["**/"], ["a/b", "a/b/c"], ["a"]),
        (["a**b"], ["ab", "axb", "c/axxb"], ["a/b"]),
        (["\\!a", "\\#b", "c\\ ", r"d\*"], ["!a", "#b", "c ", "d*"], ["a", "b", "c", "dx"]),
        (["a ", "", "# b", "/"], ["a"], ["a ", "# b", "b"]),
        (["[!a-c].md", "[[]x"], ["d.md", "[x"], ["b.md", "x"]),
        (["*.md", "!docs/"], ["docs/a.md"], ["docs/b.txt"]),  # the file itself fits, and not only its folder
    ],
)
def test_lines_of_a_gitignore_file_mean_what_git_reads(lines: list[str], chosen: list[str], others: list[str]) -> None:
    patterns = GitPatterns(lines)
    assert all(patterns.decision(path) for path in chosen)
    assert not any(patterns.decision(path) for path in others)


def test_names_and_patterns_that_take_other_readers_hours_are_compared_soon(tmp_path: Path) -> None:
    name = "a" * 250
    write(tmp_path / f"{name}.md", "Text.")
    write(tmp_path / ".gitignore", "*a" * 60 + "b\n" + "**/*a*" * 20 + "X\n")
    options = ReadOptions(include=("*.md", "*a" * 100 + "[b]"), exclude=("*?" * 100 + "/b",), gitignore=True)
    assert read(tmp_path, options)[0] == {f"{name}.md"}


def test_gitignore_files_count_from_the_repository_down(tmp_path: Path) -> None:
    for name in TREE:
        write(tmp_path / name, f"Text of {name}.")
    write(tmp_path / ".gitignore", "build/\nkeep.md\n*.txt\n")
    write(tmp_path / "docs" / ".gitignore", "drafts/*\n!keep.md\n")
    (tmp_path / ".git").mkdir()
    assert read(tmp_path, ReadOptions(gitignore=True))[0] == {"a.md", "#f.md", "docs/c.md", "docs/drafts/keep.md"}
    assert read(tmp_path / "docs", ReadOptions(gitignore=True))[0] == {"c.md", "drafts/keep.md"}
    (tmp_path / ".git").rmdir()
    write(tmp_path / ".gitignore", "keep.md\n")
    write(tmp_path / "docs" / ".gitignore", "")
    assert read(tmp_path / "docs", ReadOptions(gitignore=True))[0] == {"c.md", "drafts/d.md", "drafts/keep.md"}


def test_a_gitignore_file_that_is_too_large_is_reported(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "A.")
    write(tmp_path / ".gitignore", "a.md\n" + "#" * 1_000_000)
    broken: list[str] = []
    assert read(tmp_path, ReadOptions(gitignore=True), broken=broken)[0] == {"a.md"}
    assert "more than 1,000,000 characters; its patterns are ignored" in broken[0]


def test_a_file_that_is_named_is_read_and_what_is_left_out_is_kept(tmp_path: Path) -> None:
    for name in TREE:
        write(tmp_path / name, f"Text of {name}.")
    options = ReadOptions(exclude=("docs/", "*.txt"))
    found, coverage = read(tmp_path, options, "b.txt")
    assert found == {"a.md", "build/e.md", "#f.md", "b.txt"}
    assert coverage.excluded == 2
    for left_out in ("docs/c.md", "docs/gone.md"):  # what is left out is not looked at
        kept = coverage.why_kept((tmp_path / left_out).as_posix())
        assert kept is not None
        assert (kept.path, kept.excluded) == (str(tmp_path), True)
    assert coverage.why_kept((tmp_path / "gone.txt").as_posix()) is None
    _, coverage = read(tmp_path, ReadOptions(exclude=("docs/",), delete_excluded=True))
    assert coverage.why_kept((tmp_path / "docs" / "c.md").as_posix()) is None


def test_a_folder_that_is_read_as_a_whole_is_included_with_a_file_in_it(tmp_path: Path) -> None:
    write(tmp_path / "beir" / "corpus.jsonl", '{"_id": "1", "title": "", "text": "One."}\n')
    write(tmp_path / "a.md", "Two.")
    assert read(tmp_path, ReadOptions(include=("*.jsonl",)))[0] == {"beir"}
    assert read(tmp_path, ReadOptions(include=("*.md",)))[0] == {"a.md"}
    assert read(tmp_path, ReadOptions(exclude=("beir",)))[0] == {"a.md"}


def test_patterns_that_leave_nothing_in_say_so_and_empty_the_corpus_of_nothing(tmp_path: Path) -> None:
    write(tmp_path / "a.md", "One.")
    broken: list[str] = []
    _, coverage = read(tmp_path, ReadOptions(include=("*.rst",), delete_excluded=True), broken=broken)
    assert broken == [f"{tmp_path}: contains nothing that any loader recognises and the patterns include"]
    assert [root.path for root in coverage.empty_roots()] == [str(tmp_path)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"include": ("",)}, "include '' is empty"),
        ({"exclude": ("# drafts",)}, "exclude '# drafts' is a comment"),
        ({"exclude": ("!",)}, "exclude '!' is not a valid pattern"),
        ({"exclude": ("a" * 1_001,)}, "at most 1,000"),
        ({"include": ("a\\",)}, "backslash"),
        ({"include": ("!*.md",)}, "makes an exception from another pattern, and there is none"),
        ({"encoding": "latin-77"}, "encoding 'latin-77' is unknown"),
        ({"encoding": "hex"}, "encoding 'hex' is unknown"),
    ],
)
def test_what_cannot_be_read_by_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message.replace("!", "[!]").replace("*", "[*]")):
        ReadOptions(**options)  # type: ignore[arg-type] # as a caller without type checks
