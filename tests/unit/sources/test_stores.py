"""Files in stores are read like those of folders; fsspec's store in memory stands for all of them."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.sources import docx_of

from overstory.errors import BrokenSource
from overstory.model import Document
from overstory.sources import Coverage, ReadOptions, read_sources

fsspec: Any = pytest.importorskip("fsspec")
ROOT = "memory://overstory-test"


@pytest.fixture
def store() -> Generator[Any]:
    files: Any = fsspec.filesystem("memory")
    files.makedirs("/overstory-test", exist_ok=True)
    yield files
    files.rm("/overstory-test", recursive=True)


def read(
    named: str, options: ReadOptions | None = None, only: list[str] | None = None, page_cache: Path | None = None
) -> tuple[list[Document], list[BrokenSource], list[str], Coverage]:
    broken: list[BrokenSource] = []
    skipped: list[str] = []
    coverage = Coverage()
    items = read_sources(
        [named],
        loader=None,
        on_broken=broken.append,
        on_skipped=skipped.append,
        coverage=coverage,
        options=options or ReadOptions(),
        only=only,
        page_cache=page_cache,
    )
    documents = [item for item in items if isinstance(item, Document)]
    return documents, broken, skipped, coverage


def test_a_store_is_read_like_a_folder(store: Any) -> None:
    store.pipe("/overstory-test/a.md", b"# One\n\nText.")
    store.pipe("/overstory-test/x/b.jsonl", b'{"id": "1", "text": "Two."}\nbroken\n')
    store.pipe("/overstory-test/x/c.bin", b"\x00")
    store.pipe("/overstory-test/.hidden/d.md", b"Hidden.")
    store.pipe("/overstory-test/drafts/e.md", b"A draft.")
    documents, broken, skipped, coverage = read(ROOT + "/", ReadOptions(exclude=("drafts/",)))
    assert [(document.source, document.source_key) for document in documents] == [
        (f"{ROOT}/a.md", ""),
        (f"{ROOT}/x/b.jsonl", "1"),
    ]
    assert [document.file_metadata["folder"] for document in documents] == [".", "x"]
    assert documents[0].file_metadata["size"] == 12
    assert [(error.source, error.line) for error in broken] == [(f"{ROOT}/x/b.jsonl", 2)]
    assert skipped == [f"{ROOT}/x/c.bin"]
    assert (coverage.hidden, coverage.excluded) == (1, 1)
    for kept in ("x/b.jsonl", "x/c.bin", "drafts/e.md"):
        assert coverage.why_kept(f"{ROOT}/{kept}") is not None, kept
    assert coverage.why_kept(f"{ROOT}/gone.md") is None
    assert [document.source for document in read(f"{ROOT}/a.md")[0]] == [f"{ROOT}/a.md"]
    some, *_, coverage = read(ROOT, only=[f"{ROOT}/a.md", f"{ROOT}/gone.md"])
    assert [document.source for document in some] == [f"{ROOT}/a.md"]
    assert {root.path for root in coverage.roots} == {f"{ROOT}/a.md", f"{ROOT}/gone.md"}


def test_what_did_not_change_is_not_fetched_again(store: Any, tmp_path: Path) -> None:
    store.pipe("/overstory-test/a.md", b"One.")
    assert [each.text for each in read(ROOT, page_cache=tmp_path)[0]] == ["One."]
    store.store["/overstory-test/a.md"].getbuffer()[:] = b"Two."  # neither time nor size say so
    assert [each.text for each in read(ROOT)[0]] == ["Two."]
    assert [each.text for each in read(ROOT, page_cache=tmp_path)[0]] == ["One."]
    store.pipe("/overstory-test/a.md", b"Six.")
    assert [each.text for each in read(ROOT, page_cache=tmp_path)[0]] == ["Six."]


def test_a_store_that_cannot_be_used_or_is_empty_deletes_nothing(store: Any) -> None:
    _, broken, _, coverage = read(ROOT)
    assert [error.reason for error in broken] == ["no file exists at this address"]
    assert [root.path for root in coverage.empty_roots()] == [ROOT]
    _, broken, _, coverage = read("nosuchstore://bucket/docs")
    assert "cannot be accessed" in broken[0].reason
    assert coverage.why_kept("nosuchstore://bucket/docs/a.md") is not None


def test_a_file_whose_name_says_nothing_is_read_by_its_content(store: Any) -> None:
    store.pipe("/overstory-test/README", b"Salt is up.")
    store.pipe("/overstory-test/a.json", b'[{"id": "1", "text": "One."}]')
    store.pipe("/overstory-test/report.v2", docx_of(("Normal", "A report.")))
    store.pipe("/overstory-test/photo", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 100)
    store.pipe("/overstory-test/tool", b"PK\3\4" + bytes(100))
    documents, broken, skipped, _ = read(ROOT)
    assert [document.text for document in documents] == ["Salt is up.", "One.", "A report."]
    assert [document.file_metadata["file_name"] for document in documents] == ["README", "a.json", "report.v2"]
    assert (broken, skipped) == ([], [f"{ROOT}/photo", f"{ROOT}/tool"])
