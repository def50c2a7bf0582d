from __future__ import annotations

import io
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pytest
from tests.sources import load, write, zip_of

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.sources.walk import read_sources
from overstory_loaders import ArchiveLoader, archive

MODES: dict[str, Literal["w:", "w:gz", "w:bz2", "w:xz"]] = {"tgz": "w:gz", "bz2": "w:bz2", "xz": "w:xz"}
FILES = {"docs/page.md": "# One\n\nSee [two](two.md).", "docs/two.md": "# Two", "table.csv": "id,text\na,First.\n"}


def tar_of(
    mode: Literal["w:", "w:gz", "w:bz2", "w:xz"], *members: tuple[str, bytes | str | None], time: int = 1709208000
) -> bytes:
    """A tar archive; a member with None for its content is a link to /etc/passwd, one with a text a link to that."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode=mode) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.mtime = time
            if isinstance(content, bytes):
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = tarfile.SYMTYPE, content or "/etc/passwd"
                archive.addfile(info)
    return stream.getvalue()


def read(path: Path) -> tuple[list[Document], list[str], list[str]]:
    """The documents of a path as a walk reads it, what is broken, and what is skipped."""
    broken: list[BrokenSource] = []
    skipped: list[str] = []
    items = list(read_sources([str(path)], loader=None, on_broken=broken.append, on_skipped=skipped.append))
    shown = [str(error).replace(f"{path}", "…") for error in broken]
    return (
        [item for item in items if isinstance(item, Document)],
        shown,
        [each.replace(f"{path}", "…") for each in skipped],
    )


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tgz", "a.tar.bz2", "a.TAR.XZ"])
def test_files_are_read_by_the_loaders_of_their_formats(name: str, tmp_path: Path) -> None:
    mode = MODES.get(name.lower().rpartition(".")[2], "w:")
    members = [(path, text.encode()) for path, text in FILES.items()]
    path = write(tmp_path / "in" / name, zip_of(FILES) if name.endswith("zip") else tar_of(mode, *members))
    outcome = load(ArchiveLoader(), path)
    assert outcome.broken == []
    assert [(document.source, document.source_key, document.title) for document in outcome.documents] == [
        (f"{path}/docs/page.md", "", "One"),
        (f"{path}/docs/two.md", "", "Two"),
        (f"{path}/table.csv", "a", ""),
    ]
    assert [link.target_source for link in outcome.links] == [f"{path}/docs/two.md"]
    documents, _, _ = read(tmp_path)
    assert documents[0].file_metadata == {
        "file_name": "page.md",
        "folder": f"in/{name}/docs",
        "size": len(FILES["docs/page.md"]),
        "modified": datetime(2024, 2, 29, 12, 30 if name.endswith("zip") else 0, tzinfo=UTC),
    }


def test_names_that_lead_out_links_devices_and_archives_are_skipped(tmp_path: Path) -> None:
    inner = zip_of({"a.txt": "x"})
    path = write(
        tmp_path / "a.tar",
        tar_of(
            "w:",
            *[("../out.txt", b"x"), ("/etc/out.txt", b"x"), ("C:\\out.txt", b"x"), ("link.txt", None)],
            *[("inner.zip", inner), ("photo.png", b"\x89PNG"), (".hidden.txt", b"x"), ("notes.txt", b"Notes.")],
            *[(f"{'n' * 300}.txt", b"x"), ("a\x01b.txt", b"x")],
        ),
    )
    documents, broken, skipped = read(path)
    assert [document.text for document in documents] == ["Notes."]
    assert broken == []
    assert sorted(skipped) == sorted(
        [
            "…/../out.txt (its name points outside the archive)",
            "…//etc/out.txt (its name points outside the archive)",
            "…/C:\\out.txt (its name points outside the archive)",
            "…/link.txt (a link or a device)",
            "…/inner.zip (an archive within an archive: unpack it)",
            "…/photo.png",
            f"…/{'n' * 300}.txt (its name is not a valid file name)",
            "…/a\x01b.txt (its name is not a valid file name)",
        ]
    )
    assert not (tmp_path / "out.txt").exists()


def test_a_broken_member_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    content = zip_of({"latin.txt": b"caf\xe9", "notes.txt": "Notes.", "page.md": "# Page"})
    checksum = content.rindex(b"page.md") - 30
    path = write(tmp_path / "a.zip", content[:checksum] + b"\0\0\0\0" + content[checksum + 4 :])
    documents, broken, _ = read(path)
    assert [document.text for document in documents] == ["Notes."]
    assert sorted(broken) == [
        "…/latin.txt, line 1: is not UTF-8: byte 0xe9 at offset 3",
        "…/page.md: is damaged: Bad CRC-32 for file 'page.md'",
    ]


def test_an_archive_that_breaks_off_gives_what_was_read_of_it(tmp_path: Path) -> None:
    whole = tar_of("w:gz", ("a.txt", b"First."), ("b.txt", b"Second. " * 50_000))
    documents, broken, _ = read(write(tmp_path / "a.tar.gz", whole[:-50]))
    assert [document.text for document in documents] == ["First."]
    assert broken


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [
        ("_MOST_MEMBERS", 2, "…: has more than 2 members"),
        ("MOST_UNPACKED_BYTES", 20, "…: unpacks to more than 0 MiB, the most that is unpacked"),
    ],
)
@pytest.mark.parametrize("name", ["a.zip", "a.tar"])
def test_too_much_is_refused(
    name: str, limit: str, value: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, limit, value)
    members = [(path, text.encode()) for path, text in FILES.items()]
    path = write(tmp_path / name, zip_of(FILES) if name.endswith("zip") else tar_of("w:", *members))
    outcome = load(ArchiveLoader(), path)
    assert outcome.documents == []
    assert [str(error).replace(f"{path}", "…") for error in outcome.broken] == [message]
