"""`overstory ingest` selects and reads files of folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Run
from tests.passages import OpenCorpus
from tests.sources import write


@pytest.fixture
def corpus(open_corpus: OpenCorpus) -> str:
    return open_corpus().corpus_name


def test_patterns_and_encodings_are_said_before_and_after(overstory: Run, corpus: str, tmp_path: Path) -> None:
    write(tmp_path / "a.md", "Bram Stoker wrote Dracula.")
    write(tmp_path / "drafts" / "b.md", "A draft.")
    write(tmp_path / "old.csv", "text\nDie Brücke in Köln.\n".encode("cp1252"))  # a table is opened twice
    ingest = ("ingest", str(tmp_path), "--corpus", corpus)
    assert "Name its encoding, for example --encoding windows-1252" in overstory(*ingest).err
    some = (*ingest, "--sync", "--exclude", "/drafts/", "--encoding", "windows-1252")
    would = overstory(*some, "--dry-run")
    assert would.code == 0
    kept = (
        "1 path not read; documents kept:\n"
        f"  {tmp_path}: 1 document; patterns exclude their files "
        "(to delete these documents, run again with --sync --delete-excluded)"
    )
    for told in (would.err, overstory(*some).err):
        assert "1 file or folder excluded by patterns." in told
        assert f"1 read in another encoding than UTF-8:\n  {tmp_path}/old.csv: windows-1252" in told
        assert kept in told
    removed = overstory(*some, "--delete-excluded")
    assert "1 document was removed." in removed.out
    wrong = overstory(*ingest, "--include", "")
    assert wrong.code == 3
    assert "Write patterns as in .gitignore" in wrong.err
    assert overstory(*ingest, "--delete-excluded").code == 2


def test_what_could_not_be_read_is_listed_and_read_again(overstory: Run, corpus: str, tmp_path: Path) -> None:
    write(tmp_path / "a.md", "Bram Stoker wrote Dracula.")
    write(tmp_path / "old.txt", "Die Brücke in Köln.".encode("cp1252"))
    assert "run overstory ingest --retry" in overstory("ingest", str(tmp_path), "--corpus", corpus).err
    listed = overstory("documents", "--state", "failed", "--corpus", corpus)
    assert f"{tmp_path}/old.txt, line 1: is not UTF-8: byte 0xfc at offset 6\n" in listed.out
    assert "--encoding windows-1252" in listed.out
    assert overstory("documents", "--state", "failed", "--json", "--corpus", corpus).json()["faults"] == 1
    retried = overstory("ingest", "--retry", "--encoding", "windows-1252", "--corpus", corpus)
    assert retried.code == 0
    assert "Read 1 document: 1 added" in retried.out
    assert "There are no failed files" in overstory("documents", "--state", "failed", "--corpus", corpus).err
    assert "There are no failed files" in overstory("ingest", "--retry", "--corpus", corpus).out
    assert overstory("ingest", "--corpus", corpus).code == 2
