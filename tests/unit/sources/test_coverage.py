"""A run tells a document whose file is gone from one that it only did not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.sources import mail_of, mbox_of, write, zip_of

from overstory.sources import Coverage, read_sources


def covered(*paths: str | Path, loader: str | None = None) -> Coverage:
    coverage = Coverage()
    given = [str(path) for path in paths]
    items = read_sources(given, loader=loader, on_broken=_ignore, on_skipped=_ignore, coverage=coverage)
    for _ in items:
        pass
    return coverage


def _ignore(_told: object) -> None:
    """Ignore broken and skipped sources."""


def is_gone(coverage: Coverage, path: Path) -> bool:
    return coverage.why_kept(path.as_posix()) is None


def test_a_file_is_gone_if_it_is_not_there_or_was_read(tmp_path: Path) -> None:
    read = write(tmp_path / "a.csv", "id,text\n1,One.\n")
    coverage = covered(tmp_path)
    assert is_gone(coverage, tmp_path / "no.txt")
    assert is_gone(coverage, tmp_path / "a.csv" / "below a file")
    assert is_gone(coverage, read)  # a record that it no longer has
    assert is_gone(coverage, tmp_path)  # once read as a whole, by a loader of folders


def test_what_is_hidden_is_counted_once(tmp_path: Path) -> None:
    for name in ("a.txt", ".b.txt", ".git/config", "sub/.c.md", "sub/d.txt", "sub/e/f.txt"):
        write(tmp_path / name, "text")
    assert covered(tmp_path).hidden == 3
    assert covered(tmp_path, tmp_path / "sub", tmp_path / "sub" / "d.txt").hidden == 3
    assert covered(tmp_path / "sub" / "e").hidden == covered(tmp_path / ".b.txt").hidden == 0


def test_what_was_skipped_hidden_or_broken_is_not_gone(tmp_path: Path) -> None:
    skipped = write(tmp_path / "a.xyz", "\0")
    hidden = write(tmp_path / ".b.txt", "text")
    broken = write(tmp_path / "c.jsonl", '{"id": "1", "text": "One."}\nbroken\n')
    (tmp_path / "link").symlink_to(tmp_path / "not mounted")
    write(tmp_path / "d.txt", "text")
    coverage = covered(tmp_path)
    for path in (skipped, hidden, broken, tmp_path / "link" / "e.txt"):
        assert not is_gone(coverage, path), path


def test_a_broken_file_of_an_archive_hides_itself_alone(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.zip", zip_of({"broken.jsonl": "broken", "b.txt": "text"}))
    coverage = covered(tmp_path)
    assert not is_gone(coverage, archive / "broken.jsonl")
    assert is_gone(coverage, archive / "removed.txt")


def test_a_message_that_is_there_twice_hides_nothing(tmp_path: Path) -> None:
    twice = mail_of("Hello", "Words.", key="1@x")
    box = write(tmp_path / "in.mbox", mbox_of(twice, twice))
    coverage = covered(tmp_path)
    assert is_gone(coverage, box)
    assert is_gone(coverage, box / "2@x" / "prices.pdf")


def test_a_loader_that_was_named_leaves_the_files_of_others(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    other = write(tmp_path / "b.md", "text")
    assert not is_gone(covered(tmp_path, loader="text"), other)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_not_gone(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    secret = write(tmp_path / "c" / "d.txt", "secret")
    secret.parent.chmod(0)
    coverage = covered(tmp_path)
    kept = coverage.why_kept(secret.as_posix())
    secret.parent.chmod(0o700)
    assert kept is not None
    assert not kept.empty


def test_a_folder_that_is_empty_may_be_a_disk_that_is_not_mounted(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "text")
    (tmp_path / "disk").mkdir()
    coverage = covered(tmp_path)
    kept = coverage.why_kept(f"{tmp_path}/disk/b.txt")
    assert kept is not None
    assert kept.empty
    assert coverage.empty_roots() == []


def test_paths_that_are_missing_or_hold_nothing_to_read_are_empty_roots(tmp_path: Path) -> None:
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    write(tmp_path / "pictures" / "a.png", b"\x89PNG")
    write(tmp_path / "full" / "a.txt", "text")
    paths = [tmp_path / name for name in ("empty", "pictures", "full", "missing")]
    coverage = covered(*paths)
    assert [Path(root.path).name for root in coverage.empty_roots()] == ["empty", "pictures", "missing"]


def test_what_was_read_under_another_name_is_gone_under_this_one(tmp_path: Path) -> None:
    write(tmp_path / "a" / "x.txt", "text")
    (tmp_path / "b").symlink_to("a")
    coverage = covered(tmp_path)
    assert is_gone(coverage, tmp_path / "b" / "x.txt")


def test_a_corpus_file_of_a_folder_stands_for_the_documents_of_the_folder_alone(tmp_path: Path) -> None:
    corpus = write(tmp_path / "corpus.jsonl", '{"_id": "a", "text": "passage"}\n')
    (root,) = covered(corpus).roots
    assert root.holds(tmp_path.as_posix())
    assert not root.holds(f"{tmp_path}/notes.txt")
    (root,) = covered(tmp_path).roots
    assert root.holds(f"{tmp_path}/notes.txt")
    assert not root.holds(f"{tmp_path}-2/notes.txt")


@pytest.mark.parametrize("path", ["", "\udcff", "a\0b", "https://example.org/a.pdf"])
def test_what_is_no_path_holds_no_document(path: str, tmp_path: Path) -> None:
    assert not any(root.holds(f"{tmp_path}/a.txt") for root in covered(path).roots)
